"""``podgraft policy export``: a bundle as policies that kube-apiserver evaluates itself.

A Go template becomes CEL in three steps. First, it is executed with constants where it reads the
values of the overlay, and with expressions where it reads the object (``symbolic.py``). The result
is YAML with tokens, and becomes a tree whose parts can have conditions (``tree.py``). Then the tree
becomes a JSON Patch that does what the strategic merge does (``operations.py``). Everything that
this cannot express raises ``ExportError`` with the reason.
"""
