"""podgraft's modules as the page calls them: the steps of the command ``explain``.

Each name of the engine that the playground depends on is in this module. The order of the steps is
that of ``podgraft.cli.explain.command``, and tests compare the two texts for each sample.
"""

import io
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli import configuration, documents, terminal
from podgraft.cli.config_source import ConfigSource
from podgraft.cli.explain.decision_trace import DecisionTrace, Review, exit_status, to_json
from podgraft.cli.explain.flow import Cluster
from podgraft.cli.explain.pod_source import to_explained_pod
from podgraft.cli.explain.tree import render_tree
from podgraft.cli.explain.webhooks import read_webhooks, select_routes
from podgraft.cli.failure import CommandError
from podgraft.cli.identifier_options import (
    check_cluster_option,
    check_injector_option,
    check_release_option,
)
from podgraft.cli.live.registrations import Webhook
from podgraft.cli.manifest_files import FileSelection
from podgraft.core.bundle.retired_registries import image_warning
from podgraft.core.versions.snapshot import Snapshot
from podgraft.kube import admission

from .limits import check_objects
from .step_inputs import Manifests, StepReader, read_manifests
from .view import View
from .workspace import POD, WEBHOOKS, Input

_FAILED, _WRONG_USAGE = 1, 2
_CHECKS: Mapping[str, Callable[..., object]] = {
    "istio-release": check_release_option,
    "cluster": check_cluster_option,
    "injector": check_injector_option,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a webhook: the object, the response, and the object afterwards."""

    object: str
    route: str
    webhook: str
    before: Object
    after: Object | None
    patch: JSON
    response: JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One object of the input: its decision trace, the path that the page draws, and all calls."""

    trace: Object
    verdict: Object
    paths: list[JSON]
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What ``podgraft explain`` prints and returns, and the documents in detail."""

    status: int
    text: str
    errors: str
    documents: tuple[Document, ...] = ()


@dataclass(frozen=True, slots=True)
class Compiled:
    """A compiled bundle with its policy and documents, and the warnings that loading printed."""

    options: configuration.InjectOptions
    snapshot: Snapshot
    manifests: Manifests
    warnings: str


def compile_input(given: Input) -> Compiled:
    """Load the bundle and the policy of the working directory; raises ``CommandError``."""
    options = _parse_options(given)
    with _captured() as captured:
        snapshot = configuration.load(options).snapshot
        configuration.warn_of_unused(options, snapshot)
    manifests = read_manifests(given.files.values())
    return Compiled(options, snapshot, manifests, captured.getvalue())


def explain(given: Input, compiled: Compiled) -> Explanation:
    """Explain the objects of the working directory; raises ``CommandError`` and ``InputError``."""
    objects = [value for _, value in FileSelection((Path(POD),)).read_objects()]
    check_objects(len(objects))
    cluster = _make_cluster(given, compiled)
    reader = StepReader(cluster, compiled.manifests)
    traces: list[DecisionTrace] = []
    explained: list[Document] = []
    namespace = given.options.get("namespace") or "default"
    for value in objects:
        subject = to_explained_pod(value, namespace)
        trace = cluster.explain(subject)
        calls = [_make_call(stage.review) for stage in trace.stages if stage.review]
        read = reader.read(subject, trace)
        view = View(given, compiled.snapshot.bundle.rules, compiled.manifests, subject)
        patches = [len(call.patch) if isinstance(call.patch, list) else 0 for call in calls]
        traces.append(trace)
        explained.append(
            Document(
                trace=to_json(trace),
                verdict=view.describe_verdict(trace, read, sum(patches)),
                paths=view.make_paths(trace, read, patches),
                calls=tuple(calls),
            )
        )
    return Explanation(
        status=exit_status(traces),
        text=terminal.unstyle("\n".join(map(render_tree, traces))),
        errors=compiled.warnings + "".join(_image_warnings(traces)),
        documents=tuple(explained),
    )


def _make_cluster(given: Input, compiled: Compiled) -> Cluster:
    return Cluster(
        snapshot=compiled.snapshot,
        caller=compiled.options.make_caller(),
        webhooks=_read_webhooks(given, compiled.snapshot),
        labels=_parse_labels(given.options.get("namespace-labels", "")),
    )


def failed(error: CommandError | click.ClickException, warnings: str = "") -> Explanation:
    """The explanation for an input that the command refuses, with its messages."""
    with _captured() as captured:
        error.show()
    status = _WRONG_USAGE if isinstance(error, click.UsageError) else _FAILED
    return Explanation(status=status, text="", errors=warnings + captured.getvalue())


@contextmanager
def _captured() -> Generator[io.StringIO]:
    """Standard error as text without colors."""
    text = io.StringIO()
    stream: Any = terminal.EscapingStream(text)
    with redirect_stderr(stream):
        yield text


def _check_options(given: Input) -> None:
    """Raise ``CommandError`` for a name that an option of the command refuses."""
    context = click.Context(click.Command("explain"))
    for name, check in _CHECKS.items():
        check(context, click.Option([f"--{name}"]), given.options.get(name) or None)


def _parse_options(given: Input) -> configuration.InjectOptions:
    _check_options(given)
    return configuration.InjectOptions(
        config_source=ConfigSource(folder=Path()),
        release=given.options.get("istio-release") or None,
        cluster=given.options.get("cluster") or None,
    )


def _read_webhooks(given: Input, snapshot: Snapshot) -> tuple[Webhook, ...]:
    if not given.webhooks.strip():
        return select_routes(snapshot.bundle)
    path = Path(WEBHOOKS)
    injector = given.options.get("injector") or None
    return read_webhooks([*documents.read_objects(path)], path, injector)


def _parse_labels(text: str) -> Mapping[str, str]:
    pairs = [pair.partition("=") for pair in text.split(",") if pair]
    for key, equals, _ in pairs:
        if not key or not equals:
            raise click.UsageError(f"--namespace-labels: got {text!r}; use key=value,key=value")
    return {key: value for key, _, value in pairs}


def _image_warnings(traces: list[DecisionTrace]) -> Iterator[str]:
    images = dict.fromkeys(trace.sidecars.image for trace in traces if trace.sidecars)
    for image in images:
        if warning := image_warning(image):
            yield f"warning: {warning}\n"


def _make_call(review: Review) -> Call:
    response: Any = None
    patch: Any = None
    if review.response is not None:
        response = jsonvalue.load(admission.encode(review.response))
        patch = jsonvalue.load(review.response.patch) if review.response.patch else None
    return Call(
        object=documents.object_name(review.before.object),
        route=review.webhook.route,
        webhook=review.webhook.name,
        before=review.before.object,
        after=None if review.after is None else review.after.object,
        patch=patch,
        response=response,
    )
