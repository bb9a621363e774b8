"""Files of a store for tests: a small injector in Istio's form, and its callers."""

from collections.abc import Mapping
from pathlib import Path

from podgraft.service.store import caller_document

CONFIG = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: istio-sidecar-injector
  namespace: istio-system
data:
  config: |
    policy: enabled
    defaultTemplates: [sidecar]
    neverInjectSelector:
      - matchLabels: {never: "true"}
    templates:
      sidecar: |
        metadata:
          annotations:
            example.com/workload: {{ .DeploymentMeta.Name }}
        spec:
          initContainers:
          - name: istio-init
            image: registry.example.com/init:1
          containers:
          - name: istio-proxy
            image: registry.example.com/proxy:{{ .Values.global.tag }}
            env:
            - name: MESH_ID
              value: {{ .MeshConfig.TrustDomain | quote }}
          volumes:
          - name: workload-socket
            emptyDir: {}
  values: |
    {"global": {"tag": "1.30.0", "hub": "registry.example.com"}}
"""

MESH = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: istio, namespace: istio-system}
data:
  mesh: |
    trustDomain: example.org
"""

BUNDLE: Mapping[str, bytes] = {"injector.yaml": CONFIG.encode(), "mesh.yaml": MESH.encode()}

# The token that the recordings carry, and another cluster's.
TOKEN = "podgraft-example-token-4wCkq0Zy1mB7n2"
OTHER_TOKEN = "podgraft-example-token-of-staging"
PATH_TOKEN = "4wCkq0Zy1mB7n2"
SUBJECT = "CN=prod-eu,O=podgraft-clusters"


def write_injector(
    folder: Path,
    injector: str = "default",
    *,
    policy: str | None = None,
    files: Mapping[str, bytes] = BUNDLE,
) -> Path:
    """Write one injector in the layout of a folder store; return the folder of the store."""
    if policy is not None:
        write(folder / injector / "policy.yaml", policy.encode())
    for path, content in files.items():
        write(folder / injector / "bundle" / path, content)
    return folder


def admit(folder: Path, cluster: str, *tokens: str, subject: str | None = None) -> None:
    """Write who may call for a cluster."""
    lines = ["tokens:"] + [f"  - sha256: {caller_document.hash_token(token)}" for token in tokens]
    lines += [f"subjects: ['{subject}']"] if subject else []
    write(folder / "auth" / f"{cluster}.yaml", "\n".join(lines).encode())


def write(path: Path, content: bytes) -> None:
    """Write a file atomically, as for any file that is in use."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}")
    temporary.write_bytes(content)
    temporary.replace(path)
