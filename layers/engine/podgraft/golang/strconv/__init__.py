"""Go's strconv: floating-point numbers and quoted strings."""
