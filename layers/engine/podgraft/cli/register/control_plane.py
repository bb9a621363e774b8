"""The files with which kube-apiserver presents a bearer token or a certificate to the webhook.

They require a control plane with configurable flags (``--admission-control-config-file``). The name
of the user in the kubeconfig must be the host for port 443, and ``host:port`` for other ports.
kube-apiserver silently ignores another name (apiserver/pkg/util/webhook/authentication.go).
"""

import base64
from pathlib import Path

from msgspec import Struct

from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli.register.endpoint import Endpoint
from podgraft.cli.register.static import FOLDERS

CONFIGURATION = "admission-configuration.yaml"
KUBECONFIG = "webhook-kubeconfig.yaml"
API_VERSION = "apiserver.config.k8s.io/v1"  # since Kubernetes 1.17
HTTPS_PORT = 443


class AuthInfo(Struct, frozen=True):
    """The credentials of the control plane; it can present both."""

    token: str | None = None
    certificate: bytes | None = None
    key: bytes | None = None

    def user(self) -> Object:
        """Return the user of a kubeconfig with inline data, so one file is enough."""
        parts = {
            "token": self.token,
            "client-certificate-data": _encode_base64(self.certificate),
            "client-key-data": _encode_base64(self.key),
        }
        return {name: value for name, value in parts.items() if value is not None}


def make_kubeconfig(endpoint: Endpoint, identity: AuthInfo) -> Object:
    """The kubeconfig for one endpoint."""
    host = endpoint.host.strip("[]")
    https = endpoint.port in (None, HTTPS_PORT)
    users: list[JSON] = [
        {"name": host if https else f"{host}:{endpoint.port}", "user": identity.user()}
    ]
    return {"apiVersion": "v1", "kind": "Config", "users": users}


def make_admission_configuration(folder: Path, static: Path | None = None) -> Object:
    """The AdmissionConfiguration; it must name the kubeconfig by an absolute path.

    *static* is the folder of static manifests. Only a configuration with it needs Kubernetes 1.37.
    """
    plugins: list[JSON] = []
    for name, subfolder in FOLDERS.items():
        configuration: Object = {"apiVersion": API_VERSION, "kind": f"{name}Configuration"}
        if name.endswith("Webhook"):
            configuration["kind"] = "WebhookAdmissionConfiguration"
            configuration["kubeConfigFile"] = str(folder.absolute() / KUBECONFIG)
        elif static is None:
            continue
        if static is not None:
            configuration["staticManifestsDir"] = str(static / subfolder)
        plugins.append({"name": name, "configuration": configuration})
    return {"apiVersion": API_VERSION, "kind": "AdmissionConfiguration", "plugins": plugins}


def _encode_base64(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()
