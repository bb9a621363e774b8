"""podgraft: sidecars for the pods of many clusters, from one function.

The rooms, whose imports go down only: ``cli``, ``service``, ``core``, ``kube``, ``golang``,
``base``. docs/architecture.md is the map.
"""
