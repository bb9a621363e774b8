"""``podgraft doctor``: why the sidecars of a cluster do not work, with the first cause first."""
