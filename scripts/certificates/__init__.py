"""Certificates for a webhook that kube-apiserver trusts, and nothing else.

In come names, lifetimes and PEM files; out go certificates and keys that Go's verifier (that is,
kube-apiserver), OpenSSL and AWS accept. ``issuing`` makes them and ``trust`` judges them without
touching a file; ``folder`` reads and writes them. The clock is passed in.
"""

from certificates.errors import CertificateError

__all__ = ["CertificateError"]
