"""``podgraft compare``: the injected pods of a cluster, and what podgraft injects into them.

``original_pods`` restores the pod before injection, ``normalization`` fills in the defaults of the
API server, ``comparison`` compares, and ``report`` groups the differences.
"""
