"""``podgraft register``: from the settings of a cluster to Kubernetes manifests.

``endpoint`` checks ``clientConfig.url``, ``webhooks`` makes the two configurations, ``selectors``
selects pods, ``sidecar_check`` makes the admission policy for pods without their sidecar, and
``control_plane`` makes the files with the credentials of kube-apiserver. Only ``command`` reads
files and the clock. The same settings produce the same manifests.
"""
