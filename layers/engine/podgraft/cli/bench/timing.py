"""Repeated measurements, taken in turns so that a noisy machine is noisy for all of them."""

import gc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from statistics import median, quantiles
from time import perf_counter

Action = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Timings:
    """The durations of the repetitions of one action, in seconds."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """Half of the repetitions took no longer."""
        return median(self.seconds)

    @property
    def p99(self) -> float:
        """99 of 100 repetitions took no longer; of less than 100, the longest."""
        if len(self.seconds) < _PERCENT:
            return max(self.seconds)
        return quantiles(self.seconds, n=_PERCENT)[-1]


def time_interleaved(
    makers: Mapping[str, Callable[[int], Action]], repetitions: int, *, warmup: int = 0
) -> dict[str, Timings]:
    """Time one action of every maker, and so on for all repetitions; *warmup* more are not kept.

    A maker gets the repetition's number and gives the action; only that is timed. Each repetition
    has an order of its own, the same in every run: what comes after a megabyte finds caches and
    heap as that left them, and nothing shall always come after it.
    """
    durations: dict[str, list[float]] = {name: [] for name in makers}
    gc.collect()
    for number in range(warmup + repetitions):
        names = list(makers)
        Random(number).shuffle(names)  # noqa: S311 — an order, and no secret
        for name in names:
            action = makers[name](number)
            started = perf_counter()
            action()
            durations[name].append(perf_counter() - started)
    return {name: Timings(tuple(seconds[warmup:])) for name, seconds in durations.items()}


def make_timings(seconds: Sequence[float]) -> Timings:
    """Measurements that were taken elsewhere."""
    return Timings(tuple(seconds))


_PERCENT = 100
