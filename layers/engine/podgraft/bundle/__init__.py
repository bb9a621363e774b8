"""A folder of ordinary Kubernetes manifests, compiled into what answers reviews.

``compile_`` recognises manifests by kind and content (design §1.1) and compiles them for a policy,
or raises ``BundleError`` with every fault; ``digest`` names a bundle by its files. Nothing here
does I/O: files come as a mapping of relative path to bytes.
"""

from .appmesh_part import AppMeshGraft
from .compiling import Bundle, compile_
from .digest import digest, is_manifest, validate_path
from .errors import BundleError, Fault
from .istio_part import IstioGraft
from .istio_part import part as compile_istio
from .manifests import Manifest, Manifests
from .overlay_part import OverlayGraft
from .parts import Call, Denial, Graft, Grafted, Judge, Judgement, Part

__all__ = [
    "AppMeshGraft",
    "Bundle",
    "BundleError",
    "Call",
    "Denial",
    "Fault",
    "Graft",
    "Grafted",
    "IstioGraft",
    "Judge",
    "Judgement",
    "Manifest",
    "Manifests",
    "OverlayGraft",
    "Part",
    "compile_",
    "compile_istio",
    "digest",
    "is_manifest",
    "validate_path",
]
