"""Sustained load on ``serve`` and on the Lambda handler behind an HTTP front; see scripts/soak.py."""
