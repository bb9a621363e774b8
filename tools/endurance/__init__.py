"""Sustained load on ``serve`` and on the Lambda handler behind a front; see tools/soak.py."""
