"""Send admission reviews as kube-apiserver does."""

import http.client
import json
import ssl
from pathlib import Path
from uuid import uuid4

from podgraft.base.jsonvalue import Object
from podgraft.cli.failure import CommandError
from podgraft.kube.matching import constraints


class ApiServer:
    """A client that verifies the server against *authority* and sends ``?timeout=10s``."""

    def __init__(self, host: str, port: int, authority: Path, token: str) -> None:
        context = ssl.create_default_context(cafile=str(authority))
        self._connection = http.client.HTTPSConnection(host, port, context=context, timeout=10)
        self._token = token.strip()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def send_review(self, path: str, manifest: Object) -> Object:
        """Return the response to a review of the creation of *manifest*."""
        body = json.dumps(_admission_review(manifest)).encode()
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "kube-apiserver-admission",
            "Authorization": f"Bearer {self._token}",
        }
        self._connection.request("POST", f"{path}?timeout=10s", body, headers)
        response = self._connection.getresponse()
        text = json.loads(response.read())
        if response.status != http.client.OK:
            raise CommandError(f"{path}: got status {response.status}: {text.get('message')}")
        return text["response"]


def _admission_review(manifest: Object) -> Object:
    request = constraints.make_create_request(manifest, "default").raw
    rest: Object = {"uid": str(uuid4()), "object": manifest, "oldObject": None, "dryRun": False}
    return {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {**request, **rest},
    }
