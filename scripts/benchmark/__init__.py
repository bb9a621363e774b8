"""What podgraft costs, measured: every figure a ratio to a baseline of the same run."""
