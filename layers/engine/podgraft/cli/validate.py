"""``podgraft validate``: the ValidatingAdmissionPolicies of a bundle, evaluated on files."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON, objects_at, string_at
from podgraft.cli import configuration, terminal
from podgraft.cli.explain.decision_trace import Verdict
from podgraft.cli.explain.flow import Cluster
from podgraft.cli.explain.webhooks import Webhook
from podgraft.cli.failure import CommandError
from podgraft.cli.object_options import ObjectOptions, object_options, read_object_files
from podgraft.cli.object_reviews import ReviewedObject, run_reviews
from podgraft.core.review import ReviewResponse

_FORMATS = ("text", "json")
# The audit annotations of the review itself, and that of failed validations.
_REVIEW_KEYS = frozenset({"decision", "reason", "policy-version", "bundle"})
_FAILURES = "validation_failure"
_VERDICTS = ("allowed", "denied", "failed")


@click.command("validate")
@object_options
@configuration.inject_options
@click.option(
    "-o",
    "--output",
    type=click.Choice(_FORMATS),
    default="text",
    show_default=True,
    help="Output format.",
)
def command(
    *,
    objects: ObjectOptions,
    output: str,
    **given: Path | str | tuple[str, ...] | None,
) -> int:
    """Evaluate the ValidatingAdmissionPolicies of a bundle on objects in files.

    The command validates a workload first, then the pod that its controller creates. It changes no
    object: use podgraft explain or podgraft test to validate the result of injection.

    The exit status is 0 if all objects are allowed, 3 if no policy matches any of them, 4 if one is
    denied, and 1 if a review or the command fails. Warnings and audit annotations do not change it.
    """
    options = configuration.parse_options(given)
    snapshot = configuration.load_snapshot(options)
    if not snapshot.bundle.validators:
        raise CommandError(
            "the bundle contains no ValidatingAdmissionPolicy; "
            "use podgraft apply for overlays, or add a policy"
        )
    cluster = Cluster(
        snapshot=snapshot,
        caller=configuration.caller(options),
        webhooks=(Webhook(route="validate"),),
    )
    results = [
        _Result(str(file.path), each)
        for file in read_object_files(objects)
        for subject in file.subjects
        for each in run_reviews(cluster, subject).objects
    ]
    if output == "json":
        click.echo(jsonvalue.dump([result.encode() for result in results]))
    else:
        for line in _format_text(results):
            click.echo(line)
    return _select_status(results)


@dataclass(frozen=True, slots=True)
class _Result:
    """The validation of one object of a file."""

    path: str
    reviews: ReviewedObject

    @property
    def verdict(self) -> str:
        """``allowed``, or the verdict of another result."""
        verdict = self.reviews.verdict
        return "allowed" if verdict is Verdict.SKIPPED else str(verdict)

    @property
    def audit(self) -> Mapping[str, str]:
        """The audit annotations of the policies."""
        audit: dict[str, str] = {}
        for call in self.reviews.calls:
            if isinstance(call.result, ReviewResponse):
                audit |= call.result.response.audit
        return {key: value for key, value in audit.items() if key not in _REVIEW_KEYS}

    @property
    def audit_failures(self) -> list[str]:
        """The messages of failed validations whose binding sets ``Audit``."""
        failures = jsonvalue.load(self.audit.get(_FAILURES, "[]"))
        return [string_at(each, "message") for each in objects_at({"items": failures}, "items")]

    def encode(self) -> JSON:
        """The result as JSON."""
        annotations = {key: value for key, value in self.audit.items() if key != _FAILURES}
        return {
            **self.reviews.encode(self.path),
            "verdict": self.verdict,
            "policies": [*self.reviews.evaluated_rules],
            "auditAnnotations": {**annotations},
            "auditFailures": [*self.audit_failures],
        }

    def format(self) -> Iterator[str]:
        """Yield the lines for a terminal."""
        verdict = terminal.style(self.verdict, fg="green" if self.verdict == "allowed" else "red")
        note = "" if self.reviews.evaluated_rules else ", no policy matches"
        yield f"{self.reviews.name}: {verdict}{note}"
        yield from (f"  deny   {message}" for message in self.reviews.messages)
        yield from (f"  warn   {warning}" for warning in self.reviews.warnings)
        yield from (f"  audit  {failure}" for failure in self.audit_failures)
        for key, value in self.audit.items():
            if key != _FAILURES:
                yield f"  audit  {key}: {value}"


def _format_text(results: Sequence[_Result]) -> Iterator[str]:
    for result in results:
        yield from result.format()
    counts = Counter(result.verdict for result in results)
    yield ", ".join(f"{counts[verdict]} {verdict}" for verdict in _VERDICTS if counts[verdict])


def _select_status(results: Sequence[_Result]) -> int:
    verdicts = {result.verdict for result in results}
    for verdict, status in (("failed", 1), ("denied", 4)):
        if verdict in verdicts:
            return status
    return 0 if any(result.reviews.evaluated_rules for result in results) else 3
