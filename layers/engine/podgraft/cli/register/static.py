"""Static manifests: registrations that kube-apiserver reads from files instead of its API.

Kubernetes 1.37 reads them from a folder for each admission plugin (KEP-5793,
k8s.io/apiserver/pkg/admission/plugin/manifest). Nobody can change or delete them through the API.
The checks here are those of kube-apiserver, which does not start with a folder that fails one:
unique names with the suffix .static.k8s.io, ``clientConfig.url`` without ``service``, policies
without parameters, and bindings of policies in the same folder.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from podgraft.base.jsonvalue import Object, object_at, objects_at, string_at
from podgraft.cli.documents import expand_lists
from podgraft.cli.failure import CommandError
from podgraft.cli.folders import list_files
from podgraft.cli.outputs import Output
from podgraft.kube import yaml

SUFFIX = ".static.k8s.io"
# The folder of each admission plugin.
FOLDERS: Final[Mapping[str, str]] = {
    "MutatingAdmissionWebhook": "mutating-webhooks",
    "ValidatingAdmissionWebhook": "validating-webhooks",
    "ValidatingAdmissionPolicy": "validating-policies",
}
_BINDING = "ValidatingAdmissionPolicyBinding"
# The plugin that reads each kind.
_PLUGINS: Final[Mapping[str, str]] = {
    "MutatingWebhookConfiguration": "MutatingAdmissionWebhook",
    "ValidatingWebhookConfiguration": "ValidatingAdmissionWebhook",
    "ValidatingAdmissionPolicy": "ValidatingAdmissionPolicy",
    _BINDING: "ValidatingAdmissionPolicy",
}
_EXTENSIONS = (".yaml", ".yml", ".json")


def parse_folder(path: Path) -> Path:
    """Return the path on the control plane nodes; raises ``CommandError`` for a relative one."""
    if not path.is_absolute():
        raise CommandError(
            f"--static {path}: kube-apiserver accepts absolute paths only; "
            "give the path that the folder has on the control plane nodes"
        )
    return path


def make_files(folder: Path, manifests: Sequence[Object], name: str) -> list[Output]:
    """Return a file for each plugin with manifests; raises ``CommandError``.

    *name* is the name of the registration, and of the files.
    """
    by_folder: dict[str, list[Object]] = {}
    for manifest in map(add_suffix, manifests):
        _check_manifest(manifest)
        by_folder.setdefault(FOLDERS[_PLUGINS[string_at(manifest, "kind")]], []).append(manifest)
    outputs: list[Output] = []
    for subfolder, documents in by_folder.items():
        path = folder / subfolder / f"{name}.yaml"
        _check_names(documents, path)
        outputs.append(Output(path, "---\n".join(map(yaml.dump, documents)).encode()))
    return outputs


def add_suffix(manifest: Object) -> Object:
    """Return the manifest with the suffix of static manifests in its names."""
    metadata = object_at(manifest, "metadata")
    named: Object = {**metadata, "name": string_at(metadata, "name") + SUFFIX}
    changed: Object = {**manifest, "metadata": named}
    if manifest.get("kind") == _BINDING:
        spec = object_at(manifest, "spec")
        changed["spec"] = {**spec, "policyName": string_at(spec, "policyName") + SUFFIX}
    return changed


def _check_manifest(manifest: Object) -> None:
    """Raise ``CommandError`` for a manifest with which kube-apiserver would not start."""
    kind, spec = string_at(manifest, "kind"), object_at(manifest, "spec")
    for webhook in objects_at(manifest, "webhooks"):
        client = object_at(webhook, "clientConfig")
        if "service" in client or not client.get("url"):
            raise CommandError(
                f"{kind}: a static webhook needs clientConfig.url; give --url https://HOST"
            )
    for key in ("paramKind", "paramRef"):
        if key in spec:
            raise CommandError(f"{kind}: a static policy has no {key}; remove it")


def _check_names(documents: Iterable[Object], path: Path) -> None:
    """Raise ``CommandError`` if another file in the folder has one of the names."""
    taken = dict(_find_names(path))
    for document in documents:
        identity = _identity(document)
        if identity in taken:
            raise CommandError(
                f"{taken[identity]}: also contains {identity[0]} {identity[1]}; kube-apiserver "
                "does not start with a duplicate name; remove that file"
            )


def _find_names(path: Path) -> Iterator[tuple[tuple[str, str], Path]]:
    """Yield kind and name of each manifest in the other files of the folder, with the file."""
    for other in list_files(path.parent):
        if other == path or other.suffix.lower() not in _EXTENSIONS:
            continue
        try:
            values = yaml.load_all(other.read_text(encoding="utf-8"))
        except (yaml.NotYAMLError, UnicodeDecodeError) as error:
            raise CommandError(
                f"{other}: {error}; kube-apiserver does not start with it; correct or remove it"
            ) from error
        for document in values:
            for each in expand_lists(document):
                if isinstance(each, dict):
                    yield _identity(each), other


def _identity(manifest: Object) -> tuple[str, str]:
    return string_at(manifest, "kind"), string_at(manifest, "metadata", "name")
