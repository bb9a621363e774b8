"""The URL paths of registered webhooks, read from webhook configurations."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli import documents
from podgraft.core.bundle.cluster_ids import UrlPath
from podgraft.core.identifiers import DEFAULT_INJECTOR

_KIND = "MutatingWebhookConfiguration"
_ROUTE = "inject"
_TOKEN = "k"  # noqa: S105 — the path segment before a token


def url_paths(file: Path, injector: str | None = None) -> Iterator[UrlPath]:
    """Return what follows ``/inject/`` in the URL of each webhook in *file*.

    With *injector*, only the webhooks of that injector count.
    """
    for manifest in documents.read_objects(file):
        webhooks = manifest.get("webhooks")
        if manifest.get("kind") != _KIND or not isinstance(webhooks, list):
            continue
        for index, webhook in enumerate(webhooks):
            path = _path(webhook)
            name, tail = _parts(path) if path is not None else ("", None)
            if tail is not None and injector in (None, name):
                location = f"{file}, {documents.object_name(manifest)}"
                yield UrlPath(tail, location, f"/webhooks/{index}/clientConfig")


def _path(webhook: JSON) -> str | None:
    config = _object(_object(webhook).get("clientConfig"))
    url, path = config.get("url"), _object(config.get("service")).get("path")
    if not isinstance(url, str):
        return path if isinstance(path, str) else None
    try:
        return unquote(urlsplit(url).path)
    except ValueError:  # which kube-apiserver refuses
        return None


def _parts(path: str) -> tuple[str, str | None]:
    """Return the injector and the rest after the route; no rest without the route."""
    segments = path.removeprefix("/").split("/")
    if segments[0] == _TOKEN:
        segments = segments[2:]
    if _ROUTE not in segments:
        return "", None
    at = segments.index(_ROUTE)
    return segments[at - 1] if at else DEFAULT_INJECTOR, "/".join(segments[at + 1 :])


def _object(value: JSON) -> Object:
    return value if isinstance(value, dict) else {}
