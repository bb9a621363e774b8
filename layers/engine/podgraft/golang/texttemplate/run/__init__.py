"""The runtime of compiled templates."""
