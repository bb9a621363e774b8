"""``podgraft tokens``: the tokens and certificate subjects of the calling clusters.

``podgraft.service.store.caller_document`` defines the document of a cluster. ``storage`` is the
interface
of a store for these documents, with ``folder_storage`` and ``parameter_storage`` behind it.
A store contains the hash of a token, never the token.
"""
