"""Repeated measurements, taken in turns, so noise of the machine affects all of them."""

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
    makers: Mapping[str, Callable[[int], Action]],
    repetitions: int,
    *,
    warmup: int = 0,
    clock: Callable[[], float] = perf_counter,
) -> dict[str, Timings]:
    """Time one action of each maker per repetition, after *warmup* repetitions without timing.

    A maker gets the number of the repetition and returns the action; only the action is timed. Each
    repetition has another order, the same in every run, because an action affects the caches and
    the heap of the next one.
    """
    durations: dict[str, list[float]] = {name: [] for name in makers}
    gc.collect()
    for number in range(warmup + repetitions):
        names = list(makers)
        Random(number).shuffle(names)  # noqa: S311 — an order, and no secret
        for name in names:
            action = makers[name](number)
            started = clock()
            action()
            durations[name].append(clock() - started)
    return {name: Timings(tuple(seconds[warmup:])) for name, seconds in durations.items()}


def make_timings(seconds: Sequence[float]) -> Timings:
    """Measurements that were taken elsewhere."""
    return Timings(tuple(seconds))


_PERCENT = 100
