"""The Kubernetes manifests of a bundle, recognised by kind, never by the name of their file."""

from collections.abc import Callable, Iterator, Mapping

from podgraft import yaml
from podgraft.jsonvalue import JSON, Object
from podgraft.lazy_dataclass import dataclass

from .errors import Diagnostic

IGNORE = "podgraft.dev/ignore"

# The folder of a bundle's own probe objects.
PROBES = "tests/"

_ADMISSION = tuple(f"admissionregistration.k8s.io/{v}" for v in ("v1", "v1beta1", "v1alpha1"))

# Kind → API versions, each read alike.
KINDS: Mapping[str, tuple[str, ...]] = {
    "ConfigMap": ("v1",),
    "Mesh": ("supergloo.solo.io/v1",),
    "Namespace": ("v1",),
    "Overlay": ("podgraft.dev/v1",),
    "ProxyConfig": ("networking.istio.io/v1beta1", "networking.istio.io/v1"),
    "ValidatingAdmissionPolicy": _ADMISSION,
    "ValidatingAdmissionPolicyBinding": _ADMISSION,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """One object of the bundle, and where it was read: file, and path inside a List."""

    file: str
    path: str = ""
    object: Object

    @property
    def kind(self) -> str:
        """The object's kind, such as ``ConfigMap``."""
        return _text(self.object.get("kind"))

    @property
    def api_version(self) -> str:
        """The object's API version, such as ``v1``."""
        return _text(self.object.get("apiVersion"))

    @property
    def metadata(self) -> Object:
        """The object's metadata; empty where there is none."""
        metadata = self.object.get("metadata")
        return metadata if isinstance(metadata, dict) else {}

    @property
    def name(self) -> str:
        """The object's name."""
        return _text(self.metadata.get("name"))

    @property
    def namespace(self) -> str:
        """The object's namespace; empty where it says none."""
        return _text(self.metadata.get("namespace"))

    @property
    def data(self) -> Mapping[str, JSON]:
        """A ConfigMap's entries."""
        data = self.object.get("data")
        return data if isinstance(data, dict) else {}

    def make_diagnostic(self, path: str, problem: str, remedy: str) -> Diagnostic:
        """A fault of this object; *path* is inside it."""
        return Diagnostic(
            document=self.file, pointer=self.path + path, problem=problem, remedy=remedy
        )


@dataclass(frozen=True, slots=True)
class Manifests:
    """All manifests of a bundle that can be read, and the faults of the others.

    ``probes`` are the objects of the folder ``tests/``: a trial renders templates for them.
    """

    manifests: tuple[Manifest, ...]
    errors: tuple[Diagnostic, ...] = ()
    probes: tuple[Manifest, ...] = ()

    def of_kind(self, kind: str) -> tuple[Manifest, ...]:
        """Those of one kind, in the order of files and documents."""
        return tuple(manifest for manifest in self.manifests if manifest.kind == kind)

    @property
    def namespaces(self) -> Mapping[str, Object]:
        """The Namespace objects, by name."""
        return {manifest.name: manifest.object for manifest in self.of_kind("Namespace")}


def parse_manifests(files: Mapping[str, bytes]) -> Manifests:
    """Read all files, in the order of their paths; faults are noted, never raised."""
    faults: list[Diagnostic] = []
    found: list[Manifest] = []
    probes: list[Manifest] = []
    for file in sorted(files):
        for document in _parse_documents(file, files[file], faults.append):
            if _is_probe(document):
                probes.append(document)
            elif _is_supported_kind(document, faults.append):
                found.append(document)
    _validate_unique(found, faults.append)
    if not found and not faults:
        faults.append(_EMPTY)
    return Manifests(tuple(found), tuple(faults), tuple(probes))


Note = Callable[[Diagnostic], None]

_OR_REMOVE = "or take the file out of the folder"

_EMPTY = Diagnostic(
    document="the folder",
    problem="holds no manifest",
    remedy="put .yaml, .yml or .json files into it, as kubectl get -o yaml prints them",
)


def _parse_documents(file: str, content: bytes, note: Note) -> Iterator[Manifest]:
    try:
        documents = yaml.load_all(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        problem = f"is not UTF-8: byte 0x{content[error.start]:02x} at offset {error.start}"
        note(Diagnostic(document=file, problem=problem, remedy=f"save it as UTF-8, {_OR_REMOVE}"))
        return
    except yaml.NotYAMLError as error:
        remedy = f"correct that place, {_OR_REMOVE}"
        note(Diagnostic(document=file, problem=f"is no YAML: {error}", remedy=remedy))
        return
    for number, document in enumerate(documents, 1):
        place = file if len(documents) == 1 else f"{file}, document {number}"
        yield from _expand_lists(place, "", document, note)


def _expand_lists(file: str, path: str, document: JSON, note: Note) -> Iterator[Manifest]:
    """The object itself, or the objects of a List."""
    if not isinstance(document, dict):
        problem = "is no Kubernetes object"
        note(
            Diagnostic(
                document=file, pointer=path, problem=problem, remedy="give it apiVersion and kind"
            )
        )
        return
    items = document.get("items")
    if document.get("kind") == "List" and isinstance(items, list):
        for index, item in enumerate(items):
            yield from _expand_lists(file, f"{path}/items/{index}", item, note)
    else:
        yield Manifest(file=file, path=path, object=document)


def _is_probe(manifest: Manifest) -> bool:
    """Whether an object is one to render templates for: under ``tests/``, of any other kind."""
    return manifest.file.startswith(PROBES) and bool(manifest.kind) and manifest.kind not in KINDS


def _is_supported_kind(manifest: Manifest, note: Note) -> bool:
    annotations = manifest.metadata.get("annotations")
    if isinstance(annotations, dict) and annotations.get(IGNORE) == "true":
        return False
    if manifest.api_version not in KINDS.get(manifest.kind, ()):
        note(_unknown_kind_diagnostic(manifest))
        return False
    if not manifest.name:
        note(manifest.make_diagnostic("/metadata/name", "is missing", "name the object"))
        return False
    return True


def _unknown_kind_diagnostic(manifest: Manifest) -> Diagnostic:
    met = f"{manifest.kind or 'no kind'} of {manifest.api_version or 'no apiVersion'}"
    known = ", ".join(f"{kind} ({' or '.join(versions)})" for kind, versions in KINDS.items())
    return manifest.make_diagnostic(
        "",
        f"{met} is not understood, only {known} and Lists of them",
        f'take it out, or annotate it with {IGNORE}: "true"',
    )


def _validate_unique(manifests: list[Manifest], note: Note) -> None:
    first: dict[tuple[str, str, str], Manifest] = {}
    for manifest in manifests:
        twin = first.setdefault((manifest.kind, manifest.namespace, manifest.name), manifest)
        if twin is not manifest:
            problem = f"{manifest.kind} {manifest.name} stands also in {twin.file}{twin.path}"
            note(manifest.make_diagnostic("", problem, "keep one of the two"))


def _text(value: JSON) -> str:
    return value if isinstance(value, str) else ""
