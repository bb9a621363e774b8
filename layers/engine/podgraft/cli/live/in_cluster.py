"""The API server of the cluster in which podgraft runs, without kubectl: for a Job."""

import http.client
import os
import shutil
import ssl
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlencode

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import Object, string_at
from podgraft.cli.client_config import redact_tokens

from . import api_errors
from .kubectl import parse_object

_HOST, _PORT = "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"
_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


@dataclass(frozen=True, slots=True, kw_only=True)
class InClusterReader:
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
        return (self.account / "namespace").read_text(encoding="utf-8").strip()

    def read_config(self) -> Object:
        """Return nothing: a pod has no kubeconfig."""
        return {}

    def __str__(self) -> str:
        return "the cluster of this pod"

    def _send(self, method: str, uri: str, body: bytes | None = None) -> Object:
        token = (self.account / "token").read_text(encoding="utf-8").strip()
        context = ssl.create_default_context(cafile=str(self.account / "ca.crt"))
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
            raise api_errors.parse_error(text, str(self), uri) from error
        finally:
            connection.close()
        value = parse_object(f"{method} {uri}", content, str(self))
        if response.status >= HTTPStatus.BAD_REQUEST:
            reason, message = string_at(value, "reason"), redact_tokens(string_at(value, "message"))
            text = f"Error from server ({reason}): {message}"
            raise api_errors.parse_error(text, str(self), uri)
        return value


def is_in_cluster() -> bool:
    """Whether podgraft runs in a pod that has no kubectl."""
    return _HOST in os.environ and shutil.which("kubectl") is None
