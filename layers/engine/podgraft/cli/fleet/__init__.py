"""``podgraft fleet``: the callers of all clusters of a stack, in one registry.

``podgraft.service.store.registry_document`` defines the registry, and
``podgraft.cli.tokens.registry_writer`` writes it.
"""
