"""The checks of a local bundle and policy, equal to those of the function."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.diagnostics import Diagnostic, Severity
from podgraft.cli import documents, folders
from podgraft.cli.config_source import ConfigFolder
from podgraft.cli.failure import CommandError
from podgraft.cli.folders import UnreadableError
from podgraft.cli.template_lines import add_file_lines
from podgraft.core import bundle, policy, trial
from podgraft.core.bundle import Bundle, BundleError, lint
from podgraft.core.bundle.cluster_ids import UrlPath, find_path_warnings
from podgraft.core.policy import Policy, PolicyError
from podgraft.kube import yaml
from podgraft.kube.privileges.pod_security import Level

from . import privileges, schema
from .bundle_tests import find_failed_tests
from .document_check import find_group_problems, find_rollout_problems
from .document_text import strip_signature
from .large_policy import find_value_errors

T = TypeVar("T")

_BUNDLE_KEY = re.compile(r"^bundle:.*$", re.MULTILINE)


class CheckedBundle(Struct, frozen=True, kw_only=True):
    """A valid bundle with its policy.

    ``document`` is the policy to store: the text of the file with the digest of the bundle.
    ``warnings`` do not stop a push.
    """

    files: Mapping[str, bytes]
    digest: str
    document: str
    policy: Policy
    bundle: Bundle
    warnings: tuple[Diagnostic, ...] = ()


class InvalidBundleError(CommandError):
    """The errors of a bundle and its policy."""

    def __init__(self, errors: Sequence[Diagnostic], warnings: Sequence[Diagnostic]) -> None:
        super().__init__(*map(str, errors), warnings=warnings)
        self.findings = (*errors, *warnings)


def check_bundle(
    folder: ConfigFolder,
    *,
    strict: bool = False,
    url_paths: Iterable[UrlPath] = (),
    level: Level | None = None,
) -> CheckedBundle:
    """Read and compile the files of *folder*; raises ``CommandError`` with all errors.

    Problems that the function ignores, such as a selector without a match, are errors here.
    *strict* treats warnings as errors. *url_paths* are the URL paths of registered webhooks. With
    *level*, violations of this level of the Pod Security Standards are errors.
    """
    findings: list[Diagnostic] = []
    files = _collect_errors(lambda: _read_manifests(folder.bundle), {}, findings)
    text = _collect_errors(lambda: _read_document(folder.policy), "", findings)
    digest = bundle.digest(files)
    document = set_bundle_digest(text, digest)
    policy_name = str(folder.policy or "policy")
    findings.extend(find_value_errors(policy_name, document))
    read, valid = _parse_policy(policy_name, text, findings)
    stored = _parse_stored_policy(policy_name, document, digest, findings) if valid else read
    check = _BundleCheck(files, policy_name, findings, level)
    compiled = check.compile_for_all(read)
    if compiled is not None and valid:
        warnings = lint.find_warnings(compiled, files, read, text, policy_name)
        findings += [each for each in warnings if each not in findings]
        findings.extend(each for url in url_paths for each in find_path_warnings(compiled, url))
        findings.extend(find_failed_tests(folder))
    errors, warnings = _split_by_severity([*add_file_lines(findings, files)], strict=strict)
    if errors or compiled is None:
        raise InvalidBundleError(errors, warnings)
    return CheckedBundle(
        files=files,
        digest=digest,
        document=document,
        policy=stored,
        bundle=compiled,
        warnings=warnings,
    )


def _split_by_severity(
    findings: Sequence[Diagnostic], *, strict: bool
) -> tuple[tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
    if strict:
        findings = [finding.as_error() for finding in findings]
    return (
        tuple(finding for finding in findings if not finding.is_warning),
        tuple(finding for finding in findings if finding.is_warning),
    )


def set_bundle_digest(text: str, digest: str) -> str:
    """Set the digest of the bundle in a policy document, without other changes."""
    line = f"bundle: {digest}"
    if _BUNDLE_KEY.search(text):
        return _BUNDLE_KEY.sub(line, text, count=1)
    # Added last: the first line can be a comment for editors, or ---.
    end = "" if not text or text.endswith("\n") else "\n"
    return f"{text}{end}{line}\n"


def _collect_errors(read: Callable[[], T], otherwise: T, findings: list[Diagnostic]) -> T:
    """Return the result of *read*; unreadable files become errors."""
    try:
        return read()
    except UnreadableError as error:
        findings.extend(error.errors)
        return otherwise


def _read_manifests(folder: Path) -> dict[str, bytes]:
    """Read the files of the folder; an empty one is an error."""
    manifests = folders.read_manifests(folder)
    empty = [name for name, content in manifests.items() if not content.strip()]
    if empty:
        remedy = "write the manifest, or remove the file from the folder"
        raise UnreadableError(*(Diagnostic("is empty", remedy, document=name) for name in empty))
    return manifests


def _read_document(path: Path | None) -> str:
    if path is None:
        return ""
    text = documents.read_text(path)
    if not text.strip():
        remedy = 'write "policy: enabled", or remove the file'
        raise UnreadableError(Diagnostic("is empty", remedy, document=str(path)))
    return strip_signature(text)  # a push signs the document that it stores


def _parse_stored_policy(
    policy_name: str, document: str, digest: str, findings: list[Diagnostic]
) -> Policy:
    """Parse the policy to store; in flow style, it cannot get another line."""
    try:
        stored = policy.parse(document)
    except PolicyError:
        stored = Policy()
    if stored.bundle != digest:
        problem = "is in flow style, so podgraft cannot add the key bundle"
        findings.append(Diagnostic(problem, "write one key per line", document=policy_name))
    return stored


def _parse_policy(policy_name: str, text: str, findings: list[Diagnostic]) -> tuple[Policy, bool]:
    """Return the policy without its invalid keys, and whether it is valid."""
    valid = True
    try:
        read = policy.parse(text)
        faults = (
            *read.warnings,
            *find_group_problems(read),
            *find_rollout_problems(read, text),
        )
    except PolicyError as error:
        read, valid = error.valid_part or Policy(), False
        faults = (*error.errors, *error.warnings)
    findings.extend(replace(fault, document=policy_name) for fault in faults)
    errors = [fault.pointer for fault in faults if fault.severity is Severity.ERROR]
    findings.extend(_schema_errors(policy_name, text, errors))
    return read, valid


def _schema_errors(policy_name: str, text: str, reported: Sequence[str]) -> Iterator[Diagnostic]:
    try:
        document = yaml.load_document(text)
    except yaml.NotYAMLError:
        return  # the parser has reported this error
    yield from schema.validate_document("policy", policy_name, document, reported)


class _BundleCheck(Struct, frozen=True):
    """The compilation and the trial of a bundle; *findings* receives the problems."""

    files: Mapping[str, bytes]
    policy_name: str
    findings: list[Diagnostic]
    level: Level | None

    def compile_for_all(self, read: Policy) -> Bundle | None:
        """Compile the bundle with the policy, and with the overrides of each cluster.

        Of clusters with equal overrides, only the first is reported.
        """
        if not self.files:
            return None
        compiled = self._compile(read, "")
        tried = [read]
        for location, each in read.variants():
            # A cluster or a group with another bundle does not use these files.
            if each.bundle == read.bundle and not any(map(each.renders_like, tried)):
                self._compile(each, location)
                tried.append(each)
        candidate = None if read.rollout is None else read.rollout.candidate
        if candidate and candidate.bundle == read.bundle and not candidate.renders_like(read):
            self._compile(candidate, "/rollout/candidate")
        if compiled is not None:
            self.findings.extend(_overlay_errors(self.files))
        return compiled

    def _compile(self, read: Policy, prefix: str) -> Bundle | None:
        compiled: Bundle | None = None
        try:
            compiled = bundle.compile_(self.files, read)
            faults = (*compiled.warnings, *self._try(compiled, read))
        except BundleError as error:
            faults = (*error.errors, *error.warnings)
        for fault in faults:
            # If the bundle does not match the policy, the document is named "policy".
            own = replace(fault, document=self.policy_name, pointer=prefix + fault.pointer)
            located = own if fault.document == privileges.POLICY else fault
            if located not in self.findings:
                self.findings.append(located)
        return compiled

    def _try(self, compiled: Bundle, read: Policy) -> Iterator[Diagnostic]:
        """Render probe objects, and return the problems that the compilation did not report."""
        violations = privileges.ViolationList(self.level) if self.level else None
        report = trial.check_bundle(compiled, read, violations.check if violations else None)
        reported = {(w.document, w.pointer) for w in compiled.warnings if not w.is_warning}
        # Each location has at most one error.
        for fault in (*report.errors, *report.unlisted, *report.warnings):
            if (fault.document, fault.pointer) not in reported:
                yield fault
        if read.allows is None:
            yield from privileges.find_missing_allows(report.privileges)
        if violations is not None:
            yield from violations.errors


def _overlay_errors(files: Mapping[str, bytes]) -> Iterator[Diagnostic]:
    """Validate the overlays that compile with the JSON Schema."""
    for path, content in sorted(files.items()):
        for document in yaml.load_all(content.decode()):
            if isinstance(document, dict) and document.get("kind") == "Overlay":
                yield from schema.validate_document("overlay", path, document)
