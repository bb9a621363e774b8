"""Runs the cases of test files."""

from collections.abc import Callable, Iterator
from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import replace

from podgraft.base import jsonvalue, system
from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli import configuration, documents
from podgraft.cli.config_source import ConfigFolder
from podgraft.cli.explain import webhooks
from podgraft.cli.explain.flow import Cluster
from podgraft.cli.explain.pod_source import ExplainedPod, to_explained_pod
from podgraft.cli.failure import CommandError, print_warnings
from podgraft.cli.live.registrations import Webhook
from podgraft.cli.object_reviews import run_reviews
from podgraft.cli.outputs import replace_file
from podgraft.core.versions.snapshot import Snapshot
from podgraft.kube import yaml

from .cases import Case, make_cases
from .checks import Checker, Failure
from .document import ExpectedValue, PolicyTestFile
from .files import find_bundle
from .snapshots import SnapshotCache


class CaseResult(Struct, frozen=True, kw_only=True):
    """The result of one case; ``errors`` are the reasons that it could not run."""

    case: Case
    failures: tuple[Failure, ...] = ()
    errors: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def has_passed(self) -> bool:
        """Whether all expectations are met."""
        return not self.failures and not self.errors


class Runner(Struct):
    """Runs cases; ``updates`` writes files of expected values that differ, and lists them.

    ``folder`` replaces the bundle and the policy of the test files. ``expected`` are the values of
    all files so far: two cases must not expect different values.
    """

    folder: ConfigFolder | None = None
    updates: bool = False
    updated: list[Path] = []
    expected: dict[Path, JSON] = {}

    def run(
        self,
        document: PolicyTestFile,
        releases: tuple[str, ...] = (),
        is_selected: Callable[[Case], bool] = lambda _: True,
    ) -> Iterator[CaseResult]:
        """Yield the result of each selected case of a document.

        *releases* replace those of the tests, if the bundle contains an Istio configuration.
        """
        try:
            snapshots = SnapshotCache(find_bundle(document, self.folder))
            releases = releases if releases and snapshots.has_istio else ()
        except CommandError as error:
            cases = filter(is_selected, make_cases(document, releases))
            yield from (CaseResult(case=case, errors=error.args) for case in cases)
            return
        cases = [case for case in make_cases(document, releases) if is_selected(case)]
        warn_of_clusters(document, cases, snapshots)
        for case in cases:
            start = system.monotonic()
            result = self._run_case(case, snapshots)
            yield replace(result, seconds=system.monotonic() - start)

    def _run_case(self, case: Case, snapshots: SnapshotCache) -> CaseResult:
        try:
            snapshot = snapshots.load(case.cluster, case.release)
            reviews = run_reviews(_make_cluster(case, snapshot), _read_subject(case))
            checker = Checker(
                reviews, lambda expected, actual: self._resolve(case, expected, actual)
            )
            return CaseResult(
                case=case, failures=tuple(checker.find_failures(case.test.expectation))
            )
        except CommandError as error:
            return CaseResult(case=case, errors=error.args)
        except click.UsageError as error:
            return CaseResult(case=case, errors=(error.message,))

    def _resolve(self, case: Case, expected: ExpectedValue, actual: JSON) -> JSON:
        """The expected value; with ``updates``, the actual one becomes the expected one."""
        if not (self.updates and expected.file) or expected.pointer.endswith("/contains"):
            return _read_value(case, expected)
        path = case.resolve_path(expected.file)
        if not jsonvalue.equal(self.expected.setdefault(path, actual), actual):
            raise CommandError(
                f"{path}: tests expect different values; use a file for each, or write {{cluster}} "
                "or {release} in its name"
            )
        if _write_expected(path, actual):
            self.updated.append(path)
        return actual


def warn_of_clusters(document: PolicyTestFile, cases: list[Case], snapshots: SnapshotCache) -> None:
    """Warn of clusters without overrides, which can be misspelled."""
    for cluster in dict.fromkeys(case.cluster for case in cases):
        if cluster is not None and cluster not in snapshots.policy.overrides:
            known = ", ".join(sorted(snapshots.policy.overrides)) or "none"
            problem = f"the policy has no overrides for cluster {cluster}; it has {known}"
            print_warnings([f"{document.path}: {problem}"])


def _make_cluster(case: Case, snapshot: Snapshot) -> Cluster:
    configuration.warn_of_unused(case.options, snapshot)
    return Cluster(
        snapshot=snapshot,
        caller=case.options.make_caller(),
        webhooks=_read_webhooks(case, snapshot),
        labels=case.settings.namespace_labels or {},
    )


def _read_webhooks(case: Case, snapshot: Snapshot) -> tuple[Webhook, ...]:
    routes, config = case.settings.routes, case.settings.webhook_config
    path = None if config is None else case.resolve_path(config)
    called = webhooks.find_webhooks(snapshot.bundle, path, case.settings.injector)
    return tuple(each for each in called if routes is None or each.route in routes)


def _read_subject(case: Case) -> ExplainedPod:
    test = case.test
    value = test.object if test.object is not None else _select_object(case)
    fields = replace(test.fields, old_object=_read_old_object(case))
    subject = to_explained_pod(value, case.settings.namespace or "default")
    return replace(subject, fields=fields)


def _read_value(case: Case, expected: ExpectedValue) -> JSON:
    file = expected.file and case.resolve_path(expected.file)
    return documents.read_document(file) if file else expected.value


def _read_old_object(case: Case) -> Object | None:
    expected = case.test.old_object
    if expected is None:
        return None
    value = _read_value(case, expected)
    if not isinstance(value, dict):
        raise CommandError(
            f"{expected.file}: expected an object, got {jsonvalue.describe_type(value)}"
        )
    return value


def _select_object(case: Case) -> Object:
    """The object of a file: the only one, or the one with the kind and the name."""
    path = case.resolve_path(case.test.file)
    objects = [*documents.read_objects(path)]
    select = case.test.select
    if select:
        objects = [each for each in objects if _has_name(each, select)]
    if len(objects) == 1:
        return objects[0]
    names = ", ".join(documents.object_name(each) for each in documents.read_objects(path))
    problem = f"contains no {select}" if select else "does not contain exactly one object"
    if select and objects:
        problem = f"contains {select} several times"
    raise CommandError(f"{path}: {problem}; set select to one of {names or 'none'}")


def _has_name(value: Object, select: str) -> bool:
    kind, _, name = documents.object_name(value).partition("/")
    selected_kind, _, selected_name = select.partition("/")
    return kind.lower() == selected_kind.lower() and name == selected_name


def _write_expected(path: Path, value: JSON) -> bool:
    """Write a value, unless the file has it already; return whether the file changed."""
    if path.exists() and jsonvalue.equal(documents.read_document(path), value):
        return False
    is_json = path.suffix == ".json"
    text = documents.render_json(value) if is_json else yaml.dump(value)
    if not path.parent.is_dir():
        raise CommandError(f"{path.parent}: is not a folder; create it")
    replace_file(path, text.encode())
    return True
