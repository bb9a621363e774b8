"""``podgraft certs``: certificates for a webhook that kube-apiserver trusts.

Go's verifier (kube-apiserver), OpenSSL, and AWS accept the certificates. ``issuance`` creates and
``trust`` verifies certificates without touching a file; ``folder`` reads and writes them. Callers
pass the time.
"""
