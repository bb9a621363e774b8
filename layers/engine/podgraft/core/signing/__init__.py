"""Signatures of policies: ECDSA with P-256 and SHA-256, as the last line of the document.

A signature covers the parameter (or the injector of a folder), the version, the digest of the
bundle, and the text. So it is not valid for another injector, another stage, or a later version.
Verification needs no network and no permission: it takes 0.1 ms for each version that is
loaded, and no time for a review. Nothing here creates a signature.

This package does not import ``keys`` and its ``cryptography``; ``make_verifier`` does.
"""
