"""Go's fmt: verbs, flags, and printing of any value."""
