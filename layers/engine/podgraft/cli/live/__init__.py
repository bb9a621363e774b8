"""Read access to a live cluster.

Commands use ``kubectl get --raw``, which sends one GET request and nothing else. So every way to
authenticate that works with kubectl works here: exec plugins, OIDC, proxies, and service accounts.
The kubernetes package would import for 2 s and excludes botocore (version 37 requires another
python-dateutil). Values are raw JSON, so unknown fields are retained.
"""
