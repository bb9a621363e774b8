"""The Kubernetes manifests of a bundle, recognized by kind, never by the name of their file."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.jsonvalue import JSON, Object, object_at, string_at
from podgraft.core.policy import Cursor, Diagnostics
from podgraft.kube import yaml

from .errors import Diagnostic

IGNORE = "podgraft.dev/ignore"

# The folder of the bundle for probe objects, and for tests of podgraft test.
PROBES = "tests/"
_TEST = ("podgraft.dev/v1", "Test")

_ADMISSION = tuple(f"admissionregistration.k8s.io/{v}" for v in ("v1", "v1beta1", "v1alpha1"))

# Kind → API versions; all versions of a kind are read alike.
KINDS: Mapping[str, tuple[str, ...]] = {
    "ConfigMap": ("v1",),
    "CustomResourceDefinition": ("apiextensions.k8s.io/v1",),
    "Mesh": ("supergloo.solo.io/v1",),
    "MutatingAdmissionPolicy": _ADMISSION,
    "MutatingAdmissionPolicyBinding": _ADMISSION,
    "Namespace": ("v1",),
    "Overlay": ("podgraft.dev/v1",),
    "ProxyConfig": ("networking.istio.io/v1beta1", "networking.istio.io/v1"),
    "ValidatingAdmissionPolicy": _ADMISSION,
    "ValidatingAdmissionPolicyBinding": _ADMISSION,
}


class Manifest(Struct, frozen=True, kw_only=True):
    """One object of the bundle, and its location: file, and path inside a List."""

    file: str
    path: str = ""
    object: Object

    @property
    def kind(self) -> str:
        """The object's kind, such as ``ConfigMap``."""
        return string_at(self.object, "kind")

    @property
    def api_version(self) -> str:
        """The object's API version, such as ``v1``."""
        return string_at(self.object, "apiVersion")

    @property
    def group(self) -> str:
        """The object's API group; empty for the core group."""
        return self.api_version.rpartition("/")[0]

    @property
    def metadata(self) -> Object:
        """The object's metadata; empty if it is missing."""
        return object_at(self.object, "metadata")

    @property
    def name(self) -> str:
        """The object's name."""
        return string_at(self.metadata, "name")

    @property
    def namespace(self) -> str:
        """The object's namespace; empty if it is missing."""
        return string_at(self.metadata, "namespace")

    @property
    def data(self) -> Mapping[str, JSON]:
        """A ConfigMap's entries."""
        return object_at(self.object, "data")

    def make_diagnostic(self, path: str, problem: str, remedy: str) -> Diagnostic:
        """Return a diagnostic for the object; *path* is a JSON Pointer inside the object."""
        return Diagnostic(problem, remedy, document=self.file, pointer=self.path + path)

    def make_warning(self, path: str, problem: str, remedy: str) -> Diagnostic:
        """``make_diagnostic`` for a problem that stops nothing."""
        return self.make_diagnostic(path, problem, remedy).as_warning()

    def locate(self, found: Diagnostic) -> Diagnostic:
        """The diagnostic of a part of the object, with its file."""
        return replace(found, document=self.file, pointer=self.path + found.pointer)


class Manifests(Struct, frozen=True):
    """The valid manifests of a bundle, and the errors of the others.

    ``probes`` are the objects of the folder ``tests/``. A trial renders templates for them.
    ``params`` are the objects of the other kinds that policies name as their ``paramKind``.
    """

    manifests: tuple[Manifest, ...]
    errors: tuple[Diagnostic, ...] = ()
    probes: tuple[Manifest, ...] = ()
    params: tuple[Manifest, ...] = ()

    def of_kind(self, kind: str) -> tuple[Manifest, ...]:
        """Return the manifests of one kind, in the order of files and documents."""
        return tuple(manifest for manifest in self.manifests if manifest.kind == kind)

    @property
    def namespaces(self) -> Mapping[str, Object]:
        """The Namespace objects, by name."""
        return {manifest.name: manifest.object for manifest in self.of_kind("Namespace")}


def parse_manifests(files: Mapping[str, bytes]) -> Manifests:
    """Parse all files, in the order of their paths; errors are collected, never raised."""
    errors: list[Diagnostic] = []
    manifests: list[Manifest] = []
    probes: list[Manifest] = []
    params: list[Manifest] = []
    documents = [
        document
        for file in sorted(files)
        for document in _parse_documents(file, files[file], errors.append)
        if not _is_test(document)
    ]
    param_kinds = frozenset(_find_param_kinds(documents))
    for document in documents:
        if _is_probe(document):
            probes.append(document)
        elif (document.group, document.kind) in param_kinds and document.kind not in KINDS:
            params.append(document)
        elif _is_supported_kind(document, errors.append):
            manifests.append(document)
    _validate_unique([*manifests, *params], errors.append)
    if not manifests and not errors:
        errors.append(_EMPTY)
    return Manifests(tuple(manifests), tuple(errors), tuple(probes), tuple(params))


# The kinds whose ``paramKind`` names the kind of their parameters.
_PARAMETERIZED = ("MutatingAdmissionPolicy", "ValidatingAdmissionPolicy")


def _find_param_kinds(documents: Iterable[Manifest]) -> Iterator[tuple[str, str]]:
    """The groups and kinds of the parameters of policies."""
    for document in documents:
        if document.kind in _PARAMETERIZED:
            param_kind = object_at(document.object, "spec", "paramKind")
            group = string_at(param_kind, "apiVersion").rpartition("/")[0]
            yield group, string_at(param_kind, "kind")


AddDiagnostic = Callable[[Diagnostic], None]

_OR_REMOVE = "or remove the file from the folder"

_EMPTY = Diagnostic(
    "contains no manifest",
    "add .yaml, .yml, or .json files, as kubectl get -o yaml prints them",
    document="the folder",
)


def _parse_documents(file: str, content: bytes, add_error: AddDiagnostic) -> Iterator[Manifest]:
    try:
        documents = yaml.load_all(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        problem = f"is not UTF-8: byte 0x{content[error.start]:02x} at offset {error.start}"
        add_error(Diagnostic(problem, f"save it as UTF-8, {_OR_REMOVE}", document=file))
        return
    except yaml.NotYAMLError as error:
        remedy = f"correct the syntax, {_OR_REMOVE}"
        add_error(Diagnostic(f"invalid YAML: {error}", remedy, document=file))
        return
    for number, document in enumerate(documents, 1):
        location = file if len(documents) == 1 else f"{file}, document {number}"
        yield from _expand_lists(location, "", document, add_error)


def _expand_lists(
    file: str, path: str, document: JSON, add_error: AddDiagnostic
) -> Iterator[Manifest]:
    """Yield the object itself, or the objects of a List."""
    if not isinstance(document, dict):
        problem = "is not a Kubernetes object"
        add_error(Diagnostic(problem, "add apiVersion and kind", document=file, pointer=path))
        return
    items = document.get("items")
    if document.get("kind") == "List" and isinstance(items, list):
        for index, item in enumerate(items):
            yield from _expand_lists(file, f"{path}/items/{index}", item, add_error)
    else:
        yield Manifest(file=file, path=path, object=document)


def _is_test(manifest: Manifest) -> bool:
    """Whether an object contains tests, which only ``podgraft test`` reads."""
    return manifest.file.startswith(PROBES) and (manifest.api_version, manifest.kind) == _TEST


def _is_probe(manifest: Manifest) -> bool:
    """Whether an object is a probe object: in ``tests/``, and of a kind that no bundle reads."""
    return manifest.file.startswith(PROBES) and bool(manifest.kind) and manifest.kind not in KINDS


def _is_supported_kind(manifest: Manifest, add_error: AddDiagnostic) -> bool:
    if object_at(manifest.metadata, "annotations").get(IGNORE) == "true":
        return False
    if manifest.api_version not in KINDS.get(manifest.kind, ()):
        add_error(_unknown_kind_diagnostic(manifest))
        return False
    if not manifest.name:
        is_given = manifest.metadata.get("name") not in (None, "")
        found = ("is no string", "put it in quotes") if is_given else ("is missing", "set a name")
        add_error(manifest.make_diagnostic("/metadata/name", *found))
        return False
    return True


def _unknown_kind_diagnostic(manifest: Manifest) -> Diagnostic:
    missing = [key for key in ("apiVersion", "kind") if not manifest.object.get(key)]
    if missing:
        return manifest.make_diagnostic("", f"has no {' and no '.join(missing)}", "add it")
    ignore = f'annotate it with {IGNORE}: "true"'
    actual = f"unsupported {manifest.kind} of {manifest.api_version}"
    versions = KINDS.get(manifest.kind)
    if versions is None:
        problem = f"{actual}, expected {', '.join(KINDS)}, or a List of them"
        return manifest.make_diagnostic("", problem, f"remove it, or {ignore}")
    remedy = f"use {' or '.join(versions)}, or {ignore}"
    return manifest.make_diagnostic("/apiVersion", actual, remedy)


def _validate_unique(manifests: list[Manifest], add_error: AddDiagnostic) -> None:
    manifests_by_key: dict[tuple[str, str, str], Manifest] = {}
    for manifest in manifests:
        first_manifest = manifests_by_key.setdefault(
            (manifest.kind, manifest.namespace, manifest.name), manifest
        )
        if first_manifest is not manifest:
            location = f"{first_manifest.file}{first_manifest.path}"
            problem = f"duplicate of {manifest.kind} {manifest.name} in {location}"
            add_error(manifest.make_diagnostic("", problem, "remove one of the two"))


def read_specs(manifests: Sequence[Manifest], found: Diagnostics) -> Iterator[tuple[Cursor, str]]:
    """The spec and name of each document; what its reader finds becomes that of its file."""
    for manifest in manifests:
        own = Diagnostics()
        yield Cursor(manifest.object.get("spec"), "/spec", own), manifest.name
        found.errors.extend(map(manifest.locate, own.errors))
        found.warnings.extend(map(manifest.locate, own.warnings))
