"""The census: distinct workloads without their values, which a preview reviews again.

``redaction`` replaces every string that is not on an allow list by a keyed token. ``record`` makes
and parses records. Pure: no I/O and no clock. The store writes records.
"""
