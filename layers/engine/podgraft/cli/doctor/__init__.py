"""``podgraft doctor``: why the sidecars of a cluster do not work, with the first cause first.

``endpoint`` and ``certificates`` are also the checks of ``register --test`` and ``status --test``.
"""
