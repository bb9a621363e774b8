"""A folder of Kubernetes manifests, compiled into mutators and validators.

``compile_`` recognizes manifests by kind and content, and compiles them for a policy; it raises
``BundleError`` with all errors. ``digest`` identifies a bundle by its files. Nothing here does I/O:
files are a mapping from relative path to bytes.
"""

from podgraft.core.injectors.mutation import Mutation

from .compiler import Bundle, compile_
from .digest import digest, is_manifest, validate_path
from .errors import BundleError, Diagnostic
from .istio import IstioMutator
from .istio import compile_istio as compile_istio
from .manifests import Manifest
from .mutation import PolicyMutator, apply_mutators

__all__ = [
    "Bundle",
    "BundleError",
    "Diagnostic",
    "IstioMutator",
    "Manifest",
    "Mutation",
    "PolicyMutator",
    "apply_mutators",
    "compile_",
    "compile_istio",
    "digest",
    "is_manifest",
    "validate_path",
]
