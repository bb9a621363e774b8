"""``podgraft status``: the injection of each namespace of a cluster, and its registrations.

``survey`` reads and counts, ``certificates`` computes the days that are left, and ``report`` prints.
"""
