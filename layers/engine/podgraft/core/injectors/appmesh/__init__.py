"""AWS App Mesh injection as supergloo configured it: Mesh documents and a patch template each.

A mesh with ``enableAutoInject`` selects pods by label or namespace, and names a ConfigMap. The only
entry of the ConfigMap is a Go template of containers, which are appended to the pods of the mesh.
The service ended in 2026; podgraft supports the format for existing documents.

Differences from the original: a pod with the containers is not changed, a template can add volumes
and imagePullSecrets, an unknown region is a warning, and values with YAML syntax are refused.
"""

from .compiler import compile_, namespaced_name
from .injection import AppMesh
from .mesh import Mesh, MeshLabelSelector, MeshNamespaceSelector

__all__ = [
    "AppMesh",
    "Mesh",
    "MeshLabelSelector",
    "MeshNamespaceSelector",
    "compile_",
    "namespaced_name",
]
