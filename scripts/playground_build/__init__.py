"""The parts of ``build_playground.py``."""
