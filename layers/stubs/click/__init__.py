"""Stub of Click, which Flask imports for its command line."""
