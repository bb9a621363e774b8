"""Istio's configuration: the injection ConfigMap, its values, the mesh and ProxyConfig."""
