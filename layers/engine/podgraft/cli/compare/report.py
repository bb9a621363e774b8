"""The report of a comparison: counts, and the differences grouped by path and values."""

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct, field
from msgspec.structs import asdict

from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli import terminal
from podgraft.cli.wording import format_count, list_examples

from .comparison import Difference
from .pod_comparer import PodComparison, PodState

_EXAMPLES = 3


class Report(Struct):
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
