"""Go's fmt: verbs, flags, and the format of any value."""
