"""A rotation with the real clusters, and what it prints."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import click
from msgspec.structs import asdict, replace

from podgraft.cli.certs import trust
from podgraft.cli.failure import CommandError
from podgraft.cli.live.kubectl import KubectlReader
from podgraft.cli.register import authorities
from podgraft.cli.register.endpoint import parse_endpoint
from podgraft.cli.stacks import lookup_endpoint, lookup_refresh_seconds
from podgraft.cli.tokens.registry_writer import Clusters
from podgraft.service.store.caller_document import Callers, TokenHash

from .file import Fleet
from .options import JSON_LINES, Access, print_line
from .regional import RegionalCallers, in_region
from .registrations import KubectlRegistrations
from .rotation import Front, Result, Rotation, Target


def open_front(fleet: Fleet, stack: str | None) -> Front:
    """Return the endpoint of a fleet."""
    if not (fleet.url or stack):
        raise CommandError("/spec/url: is missing; add it, or use --config stack:NAME")
    roots = authorities.read_roots([fleet.ca_bundle] if fleet.ca_bundle else [])
    return Front(
        # For tests: kube-apiserver on this machine.
        parse_endpoint(fleet.url or lookup_endpoint(str(stack)), allow_loopback=True),
        trust.encode_ca_bundle(roots) if roots else None,
        tuple(roots),
    )


def open_rotation(
    callers: RegionalCallers, fleet: Fleet, is_due: Callable[[TokenHash], bool], access: Access
) -> Rotation:
    """Return the rotation of a stack, with its progress on standard error."""
    report = partial(click.echo, err=True)
    fronts: list[Front] = []
    for region, stack in callers.stacks.items():
        with in_region(region):
            name = stack.registry.stack
            seconds = lookup_refresh_seconds(name)
            fronts.append(replace(open_front(fleet, name), refresh_seconds=seconds))
    front = max(fronts, key=lambda each: each.refresh_seconds)
    if any(each.endpoint != front.endpoint for each in fronts):
        raise CommandError(
            "/spec/url: is missing, and the regions have different endpoints; add the URL that "
            "leads to all of them"
        )
    return Rotation(callers, front, fleet.tokens, is_due, report, access.parallel)


def find_targets(fleet: Fleet, clusters: Clusters, access: Access) -> Iterator[Target]:
    """Yield the clusters with a context, except those that only have client certificates."""
    for name, settings in fleet.clusters.items():
        callers = clusters.get(name, Callers())
        if settings.is_registered_here and (callers.tokens or not callers.subjects):
            reader = KubectlReader(
                context=settings.context,
                kubeconfig=access.kubeconfig,
                timeout_seconds=access.request_timeout,
            )
            registrations = KubectlRegistrations(reader, access.force_conflicts)
            yield Target(name, settings, registrations)


def run_rotation(rotation: Rotation, targets: Sequence[Target], output: str) -> int:
    """Print each outcome, and return how many failed."""
    counts = Counter[Result]()
    for done, outcome in enumerate(rotation.run(targets), 1):
        counts[outcome.result] += 1
        if output == JSON_LINES:
            print_line(asdict(outcome))
        if outcome.result is not Result.EQUAL:
            detail = f": {outcome.detail}" if outcome.detail else ""
            place = f"[{done}/{len(targets)}] {outcome.cluster}"
            click.echo(f"{place}: {outcome.result}{detail}", err=True)
    if targets and output == JSON_LINES:
        print_line({"summary": {each: counts[each] for each in Result}})
    elif targets:
        click.echo(", ".join(f"{count} {result}" for result, count in sorted(counts.items())))
    return counts[Result.FAILED]
