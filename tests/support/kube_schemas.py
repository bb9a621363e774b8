"""The JSON schemas of Kubernetes releases, as kubernetes-validate ships them."""

from importlib import import_module

from podgraft.base.jsonvalue import Object

# A few over the whole range; what the manifests use has not changed since admissionregistration/v1.
RELEASES = ("1.25", "1.28", "1.31", "1.34", "1.37")

_validate = import_module("kubernetes_validate").validate  # it ships no types


def validate(manifest: Object, release: str) -> None:
    """Fail unless the API server of *release* would take *manifest*, unknown fields refused."""
    _validate(manifest, release, strict=True)
