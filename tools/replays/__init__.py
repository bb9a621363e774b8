"""Compare the responses of two checkouts to the same generated requests."""
