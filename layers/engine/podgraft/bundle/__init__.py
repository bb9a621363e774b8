"""A folder of ordinary Kubernetes manifests, compiled into what answers reviews.

``compile_`` recognises manifests by kind and content (design §1.1) and compiles them for a policy,
or raises ``BundleError`` with every fault; ``digest`` names a bundle by its files. Nothing here
does I/O: files come as a mapping of relative path to bytes.
"""

from .appmesh import AppMeshMutator
from .compiler import Bundle, compile_
from .components import (
    Component,
    Denial,
    Mutation,
    MutationContext,
    Mutator,
    ValidationResult,
    Validator,
)
from .digest import digest, is_manifest, validate_path
from .errors import BundleError, Diagnostic
from .istio import IstioMutator
from .istio import compile_istio as compile_istio
from .manifests import Manifest, Manifests
from .overlays import OverlayMutator

__all__ = [
    "AppMeshMutator",
    "Bundle",
    "BundleError",
    "Component",
    "Denial",
    "Diagnostic",
    "IstioMutator",
    "Manifest",
    "Manifests",
    "Mutation",
    "MutationContext",
    "Mutator",
    "OverlayMutator",
    "ValidationResult",
    "Validator",
    "compile_",
    "compile_istio",
    "digest",
    "is_manifest",
    "validate_path",
]
