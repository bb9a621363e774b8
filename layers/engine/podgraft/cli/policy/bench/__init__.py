"""The time that a bundle costs per object: ``measurement``, and ``comparison`` with a baseline.

``results`` reads and writes saved measurements, and ``formats`` writes tables.
"""
