"""Compare the answers of two checkouts to the same generated requests."""
