"""The use case."""
