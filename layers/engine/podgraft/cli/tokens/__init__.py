"""``podgraft tokens``: the tokens and certificate subjects of the calling clusters.

``podgraft.service.store.caller_document`` defines the document of a cluster. ``storage``
reads and writes these documents; ``registry_storage`` is the registry.
A store contains the hash of a token, never the token.
"""
