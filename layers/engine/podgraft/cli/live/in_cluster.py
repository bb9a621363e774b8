"""The API server of the cluster in which podgraft runs, without kubectl: for a Job."""

import http.client
import os
import shutil
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlencode

from msgspec import Struct

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import Object, string_at
from podgraft.cli.certs.endpoint import make_client_context
from podgraft.cli.certs.pem import read_certificates
from podgraft.cli.client_config import redact_tokens

from . import api_errors
from .api_errors import ApiError
from .kubectl import parse_object

_HOST, _PORT = "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"
_REASONS = {403: "Forbidden", 404: "NotFound", 410: "Expired"}
_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


class InClusterReader(Struct, frozen=True, kw_only=True):
    """Reads with the service account of the pod."""

    timeout_seconds: int = 30
    account: Path = _ACCOUNT

    def get(self, path: str, **query: str) -> Object:
        """Return the object at a path; raises ``ApiError``."""
        return self._send("GET", f"{path}?{urlencode(query)}" if query else path)

    def create_dry_run(self, path: str, manifest: Object) -> Object:
        """Return the object that a creation would store; raises ``ApiError``."""
        return self._send("POST", f"{path}?dryRun=All", jsonvalue.dump(manifest).encode())

    def find_namespace(self) -> str:
        """Return the namespace of the pod."""
        return self._read("namespace")

    def read_config(self) -> Object:
        """Return nothing: a pod has no kubeconfig."""
        return {}

    @property
    def name(self) -> str:
        """The cluster, as messages name it."""
        return "the cluster of this pod"

    def _send(self, method: str, uri: str, body: bytes | None = None) -> Object:
        token = self._read("token")
        context = make_client_context(read_certificates(self.account / "ca.crt"))
        connection = http.client.HTTPSConnection(
            os.environ[_HOST],
            int(os.environ.get(_PORT, "443")),
            timeout=self.timeout_seconds,
            context=context,
        )
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        try:
            connection.request(method, uri, body, headers)
            response = connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException) as error:
            text = f"Unable to connect to the server: {error}"
            raise api_errors.parse_error(text, self.name, uri) from error
        finally:
            connection.close()
        if response.status >= HTTPStatus.BAD_REQUEST:
            text = _describe_status(response.status, content)
            raise api_errors.parse_error(text, self.name, uri)
        return parse_object(f"{method} {uri}", content, self.name)

    def _read(self, name: str) -> str:
        """Return a file of the service account."""
        file = self.account / name
        try:
            return file.read_text(encoding="utf-8").strip()
        except OSError as error:
            raise ApiError(
                f"{file}: {error.strerror}; set automountServiceAccountToken: true for the pod"
            ) from error


def _describe_status(code: int, content: bytes) -> str:
    """Return the error as kubectl prints it; a resource that is not served has plain text."""
    fields = jsonvalue.load_object(content) or {}
    reason = (
        string_at(fields, "reason")
        or _REASONS.get(code)
        or http.client.responses.get(code, str(code))
    )
    message = redact_tokens(string_at(fields, "message")) or "the server does not serve this path"
    return f"Error from server ({reason}): {message}"


def is_in_cluster() -> bool:
    """Whether podgraft runs in a pod that has no kubectl."""
    return _HOST in os.environ and shutil.which("kubectl") is None
