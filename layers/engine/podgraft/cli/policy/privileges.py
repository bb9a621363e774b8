"""The privileges that a bundle adds: the warning without ``allows``, and its text in the policy."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.diagnostics import Severity
from podgraft.base.jsonvalue import JSON, Object, list_at, object_at
from podgraft.cli import documents, folders
from podgraft.cli.config_source import ConfigFolder
from podgraft.cli.failure import CommandError
from podgraft.core import bundle, policy, trial
from podgraft.core.bundle import BundleError, Diagnostic, Manifest
from podgraft.core.policy import Policy, PolicyError
from podgraft.core.policy.allows import PRESETS, Allows, parse_allows
from podgraft.kube import workload, yaml
from podgraft.kube.document_reader import Cursor, Diagnostics
from podgraft.kube.privileges import Kind, Privilege, normalize_image
from podgraft.kube.privileges.pod_security import Level, Violation, find_violations

from .document_text import load_mapping, set_key

# The document of a diagnostic about the policy; the caller replaces it with the name of the file.
POLICY = "policy"
_KEY = "allows"
_MAX_DESCRIPTIONS = 6


def find_missing_allows(privileges: Iterable[Privilege]) -> Iterator[Diagnostic]:
    """Return a warning if the bundle adds privileges, and the policy does not restrict them."""
    added = [str(each) for each in privileges if each.kind is not Kind.IMAGE]
    if added:
        listed = added[:_MAX_DESCRIPTIONS]
        if len(added) > _MAX_DESCRIPTIONS:
            listed.append(f"{len(added) - _MAX_DESCRIPTIONS} more")
        yield Diagnostic(
            f"is missing, so podgraft does not check these privileges: {', '.join(listed)}",
            "list them with podgraft policy allows --write",
            document=POLICY,
            pointer=f"/{_KEY}",
            severity=Severity.WARNING,
        )


class ViolationList(Struct):
    """The violations of a level of the Pod Security Standards that rendered templates add."""

    level: Level
    errors: list[Diagnostic] = []

    def check(self, before: Object, after: Object, manifest: Manifest, path: str) -> None:
        """Add the violations of a pod, or of the pod template of a workload."""
        own = {(each.check, each.container) for each in _find_violations(before, self.level)}
        for violation in _find_violations(after, self.level):
            if (violation.check, violation.container) not in own:
                self._add(violation, manifest, path)

    def _add(self, violation: Violation, manifest: Manifest, path: str) -> None:
        subject = f"container {violation.container}" if violation.container else "the pod"
        problem = (
            f"{subject} violates Pod Security {self.level} ({violation.check}): {violation.problem}"
        )
        diagnostic = manifest.make_diagnostic(path, problem, violation.remedy)
        if not any(each.problem == diagnostic.problem for each in self.errors):
            self.errors.append(diagnostic)


def _find_violations(value: Object, level: Level) -> tuple[Violation, ...]:
    path = workload.find_pod_template_path(value, workload.ALL_KINDS)
    if path is None:
        return ()
    template = object_at(value, *path.template) if path.template else value
    return find_violations(object_at(template, "metadata"), object_at(template, "spec"), level)


def make_block(folder: ConfigFolder) -> tuple[str, str]:
    """Return the block ``allows`` for a bundle, and the policy with it.

    The block has the names that the policy lists already, and those that are missing.
    """
    text = documents.read_text(folder.policy) if folder.policy else ""
    files = folders.read_manifests(folder.bundle)
    name = str(folder.policy or POLICY)
    try:
        read = policy.parse(text)
        found, has_istio = _collect_privileges(files, read)
    except (PolicyError, BundleError) as error:
        raise CommandError(*(str(replace(each, document=name)) for each in error.errors)) from error
    listed = object_at(load_mapping(text), _KEY)
    allows = _add_missing(listed, found, has_istio=has_istio)
    return yaml.dump({_KEY: allows}), set_key(text, _KEY, allows, name)


def _collect_privileges(
    files: Mapping[str, bytes], read: Policy
) -> tuple[dict[Privilege, None], bool]:
    """Collect the privileges that the trials add, with the policy of each cluster.

    The second value is whether Istio's injector adds some.
    """
    unchecked = [
        replace(each, allows=None) for _, each in read.variants() if each.bundle == read.bundle
    ]
    found: dict[Privilege, None] = {}
    has_istio = False
    tried: list[Policy] = []
    for each in unchecked:
        if not any(each.shares_bundle_with(other) for other in tried):
            tried.append(each)
            compiled = bundle.compile_(files, each)
            found |= dict.fromkeys(trial.check_bundle(compiled, each).privileges)
            has_istio = has_istio or compiled.istio is not None
    return found, has_istio


def _add_missing(listed: Object, found: Mapping[Privilege, None], *, has_istio: bool) -> Object:
    """Add the privileges that are not listed, as a preset if one lists any of them."""
    block: Object = dict(listed)
    missing = _parse(block).find_unlisted(found)
    preset = PRESETS["istio"]
    names = {each for each in missing if each.kind is not Kind.IMAGE and preset.lists(each)}
    if has_istio and names:
        block["presets"] = ["istio"]
        missing = tuple(each for each in missing if each not in names)
    for privilege in missing:
        _add_name(block, privilege)
    return block


def _add_name(block: Object, privilege: Privilege) -> None:
    match privilege.kind:
        case Kind.CAPABILITY:
            capabilities = dict(object_at(block, privilege.kind))
            own = list_at(capabilities, privilege.container)
            block[privilege.kind] = {**capabilities, privilege.container: [*own, privilege.value]}
        case Kind.HOST_PORT:
            _append(block, privilege.kind, int(privilege.value))
        case Kind.IMAGE:
            prefix, slash, _ = normalize_image(privilege.value).rpartition("/")
            _append(block, privilege.kind, prefix + slash)
        case kind:
            _append(block, kind, privilege.value or privilege.container)


def _append(block: Object, key: str, value: JSON) -> None:
    values = list_at(block, key)
    block[key] = values if value in values else [*values, value]


def _parse(block: Object) -> Allows:
    allows = parse_allows(Cursor(block, "", Diagnostics()))
    return Allows() if allows is None else allows
