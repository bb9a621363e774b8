"""``podgraft status``: the injection of each namespace of a cluster, and its registrations.

``survey`` counts pods, ``webhooks`` checks the registrations, and ``report`` prints.
"""
