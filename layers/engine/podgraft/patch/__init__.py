"""patch."""
