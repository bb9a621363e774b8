"""The check of an endpoint, which ``register``, ``status``, ``fleet``, and ``doctor`` share.

``faults`` has the numbers of all faults that ``doctor`` finds, in their causal order.
"""
