"""The bill of a census: distinct workloads in S3, recorded once per week."""

from collections.abc import Iterator
from dataclasses import dataclass

from .bill import GB, GIB_SECOND, METRIC, MILLION, Line

PUT_MILLION = 5.00  # S3 Standard, requests of PUT and LIST
GET_THOUSAND = 0.0004
STORED_GB = 0.023  # for a month
WEEKS_A_MONTH = 30 / 7
# A record of a pod with one container, and of one with twelve.
RECORD_BYTES = (1_500, 3_500)
PUT_SECONDS = 0.015
# census_put_total and census_dropped_total, each for the stack and for the injector.
METRICS = 4
_CENT = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Census:
    """The size of a census, and the environments of the function that write it."""

    workloads: int = 10_000
    environments: int = 5

    @property
    def records(self) -> int:
        """The records of a month."""
        return round(self.workloads * WEEKS_A_MONTH)

    @property
    def repeated_puts(self) -> int:
        """An environment puts a record that another one stored, and S3 rejects it."""
        return self.records * (self.environments - 1)


def monthly_lines(census: Census) -> Iterator[Line]:
    """The bill of a month."""
    yield from _storage_lines(census)
    puts = census.records + census.repeated_puts
    seconds = puts * PUT_SECONDS
    yield Line(
        f"Lambda: {PUT_SECONDS * 1000:g} ms for each put, at 1 GiB on arm64",
        f"{puts:,} puts, {seconds:,.0f} GB-seconds",
        seconds * GIB_SECOND,
    )
    yield Line(
        "Parameter Store: key of the tokens, once per 5 minutes and environment",
        "standard throughput",
        0.0,
    )
    yield Line(
        "metrics: `census_put_total` and `census_dropped_total`, with up to 2 sets of dimensions "
        "each",
        f"{METRICS} at ${METRIC:.2f}",
        METRICS * METRIC,
    )
    yield Line(
        f"one preview: listing and {census.workloads:,} downloads",
        f"${GET_THOUSAND} per 1,000 downloads",
        census.workloads / 1000 * GET_THOUSAND,
    )


def _storage_lines(census: Census) -> Iterator[Line]:
    records, repeated = census.records, census.repeated_puts
    price = f"${PUT_MILLION:g} a million"
    low, high = (records * size / MILLION for size in RECORD_BYTES)
    yield Line(
        f"S3 puts: {census.workloads:,} workloads, once per week",
        f"{records:,} at {price}",
        records * PUT_MILLION / MILLION,
    )
    yield Line(
        "S3 puts of an existing record: at most one for each workload, week, and environment; here "
        f"{census.environments} environments",
        f"{repeated:,} at {price}",
        repeated * PUT_MILLION / MILLION,
    )
    yield Line(
        "S3 storage for 30 days",
        f"{records:,} records, {low:.0f} to {high:.0f} MB, at ${STORED_GB} a GB",
        high * MILLION / GB * STORED_GB,
    )


def render_census(census: Census | None = None) -> str:
    """Return the table, and the total."""
    lines = [*monthly_lines(census or Census())]
    total = sum(line.dollars for line in lines)
    others = total - METRICS * METRIC
    rows = [f"| {line.item} | {line.how} | {_format_dollars(line.dollars)} |" for line in lines]
    return "\n".join(
        [
            "| item | amount per month | cost |",
            "|---|---|---|",
            *rows,
            "",
            f"The total is ${total:.2f} per month; without the metrics, it is ${others:.2f}.",
        ]
    )


def _format_dollars(dollars: float) -> str:
    if dollars == 0:
        return "$0"
    return f"${dollars:.2f}" if dollars >= _CENT else "less than $0.01"
