"""How cost grows with size, as one number."""

from collections.abc import Sequence
from dataclasses import dataclass

Point = tuple[float, float]

# Below this, the difference between the smallest and the largest size is too small for a power.
_MIN_COST_RATIO = 1.25
_POWERS = tuple(step / 100 for step in range(10, 301))


@dataclass(frozen=True, slots=True)
class GrowthFit:
    """``cost = fixed + each * size ** power``: the fit with the least squared relative errors."""

    power: float
    fixed: float
    each: float


def fit_growth(points: Sequence[Point]) -> GrowthFit:
    """Fit the power by which the cost grows with the size, without its fixed part.

    The power is 0 if the cost hardly grows, 1 if it is linear, and 2 if it is quadratic. A line
    through the logarithms of the costs would have a lower power because of the fixed part.
    """
    lowest, highest = min(cost for _, cost in points), max(cost for _, cost in points)
    if highest < _MIN_COST_RATIO * lowest:
        return GrowthFit(0.0, sum(cost for _, cost in points) / len(points), 0.0)
    return min(
        (_fit_power(points, power) for power in _POWERS),
        key=lambda found: _fit_error(points, found),
    )


def _fit_power(points: Sequence[Point], power: float) -> GrowthFit:
    """The best fixed and growing parts for one power: least squares, each weighted by 1/cost²."""
    rows = [(size**power, cost, cost**-2) for size, cost in points]
    total = sum(weight for _, _, weight in rows)
    mean_x = sum(x * weight for x, _, weight in rows) / total
    mean_y = sum(y * weight for _, y, weight in rows) / total
    spread = sum(weight * (x - mean_x) ** 2 for x, _, weight in rows)
    each = sum(weight * (x - mean_x) * (y - mean_y) for x, y, weight in rows) / spread
    return GrowthFit(power, mean_y - each * mean_x, each)


def _fit_error(points: Sequence[Point], growth: GrowthFit) -> float:
    return sum(
        ((growth.fixed + growth.each * size**growth.power) / cost - 1) ** 2 for size, cost in points
    )
