"""Versions: one policy with its compiled bundles, checked before it is in force."""
