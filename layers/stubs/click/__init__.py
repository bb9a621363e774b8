"""Stands for Click, which Flask imports for its command line."""
