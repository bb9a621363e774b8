"""``podgraft compare``: the sidecars of a cluster, and those that podgraft injects."""

from collections import Counter
from collections.abc import Iterator

import click
from msgspec import Struct, field
from msgspec.structs import asdict

from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli import command_help, configuration, terminal
from podgraft.cli.documents import render_json
from podgraft.cli.failure import print_warnings
from podgraft.cli.live.cluster import PodSelection
from podgraft.cli.live.options import selection_options
from podgraft.cli.shared_options import format_option
from podgraft.cli.wording import format_count, list_examples

from .comparison import Difference
from .configurations import ConfigurationSource
from .pod_comparer import PodComparison, PodState

_EXAMPLES = 3


class _Report(Struct):
    """The counts and the groups so far; pods are not stored."""

    states: Counter[PodState] = field(default_factory=Counter[PodState])
    revisions: Counter[str] = field(default_factory=Counter[str])
    groups: dict[Difference, list[str]] = {}

    def add(self, comparison: PodComparison) -> None:
        """Count a pod, and group its differences."""
        self.states[comparison.state] += 1
        if comparison.state is PodState.OTHER_REVISION:
            self.revisions[comparison.revision] += 1
        for difference in comparison.differences:
            pods = self.groups.setdefault(difference, [])
            pods.append(f"{comparison.namespace}/{comparison.name}")

    @property
    def pod_count(self) -> int:
        """The number of compared pods."""
        return self.states[PodState.IDENTICAL] + self.states[PodState.DIFFERENT]

    @property
    def has_differences(self) -> bool:
        """Whether a pod is different."""
        return self.states[PodState.DIFFERENT] > 0

    def to_json(self) -> Object:
        """Encode the report with stable keys."""
        groups: list[JSON] = [
            {**asdict(difference), "pods": [*pods]} for difference, pods in self._sorted_groups()
        ]
        return {
            "compared": self.pod_count,
            "identical": self.states[PodState.IDENTICAL],
            "notInjected": self.states[PodState.NOT_INJECTED],
            "otherRevisions": dict(sorted(self.revisions.items())),
            "differences": groups,
        }

    def format_lines(self) -> Iterator[str]:
        """Yield the lines of the text report."""
        identical = self.states[PodState.IDENTICAL]
        color = "red" if self.has_differences else "green"
        summary = f"{identical} of {self.pod_count} injected pods are identical"
        yield terminal.style(summary, fg=color, bold=True)
        for revision, count in sorted(self.revisions.items()):
            yield f"not compared: {count} of revision {revision}; use --revision {revision}"
        previous = ""
        for difference, pods in self._sorted_groups():
            if difference.path != previous:
                yield ""
                yield terminal.style(difference.path, bold=True)
                previous = difference.path
            yield f"  runs      {difference.runs}"
            yield f"  podgraft  {difference.podgraft}"
            yield f"  {format_count(len(pods), 'pod')}: {list_examples(pods, _EXAMPLES)}"

    def _sorted_groups(self) -> list[tuple[Difference, list[str]]]:
        """Return the groups: paths with the most pods first, then the values."""
        counts: Counter[str] = Counter()
        for difference, pods in self.groups.items():
            counts[difference.path] += len(pods)
        return sorted(
            self.groups.items(),
            key=lambda group: (-counts[group[0].path], group[0].path, -len(group[1]), group[0]),
        )


@command_help.command("compare")
@selection_options
@configuration.inject_options
@format_option(("text", "json"))
def command(*, selection: PodSelection, output: str, options: configuration.InjectOptions) -> int:
    """Compare the injected pods of a cluster with the result of podgraft for the same pods.

    The command removes the injection from each running pod, injects the pod again, and compares
    both pods, with the defaults of the API server. Without --config, it uses Istio's configuration
    in the cluster, of the revision that injected each pod, or of --revision. It only reads, and
    prints only values of injected parts.

    The exit status is 0 if all pods are identical, and 1 if a pod is different.
    """
    cluster = options.access.open_cluster()
    source = ConfigurationSource(cluster, options)
    report = _Report()
    for pod in cluster.list_pods(selection):
        report.add(source.compare(pod))
    print_warnings(source.problems)
    if output == "json":
        click.echo(render_json(report.to_json()), nl=False)
    else:
        for line in report.format_lines():
            click.echo(line)
    if not report.pod_count:
        print_warnings(["no injected pod is selected; check -n, -l, and --revision"])
    return 1 if report.has_differences else 0
