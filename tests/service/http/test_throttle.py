"""Failed calls are counted by source, for a while, in bounded memory."""

from podgraft.service.http.throttle import (
    MAX_FAILURES,
    MAX_SOURCES,
    MAX_TOTAL_FAILURES,
    WINDOW_SECONDS,
    Throttle,
)


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_each_source_has_its_own_count() -> None:
    throttle = Throttle(Clock())
    assert [throttle.count_failure(source) for source in ("a", "b", "a", "a")] == [1, 1, 2, 3]


def test_a_window_ends() -> None:
    clock = Clock()
    throttle = Throttle(clock)
    throttle.count_failure("a")
    clock.seconds = WINDOW_SECONDS - 0.001
    assert throttle.count_failure("a") == 2
    clock.seconds = WINDOW_SECONDS
    assert throttle.count_failure("a") == 1


def test_the_longest_silent_source_is_forgotten_first() -> None:
    throttle = Throttle(Clock())
    for number in range(MAX_SOURCES):
        throttle.count_failure(str(number))
    throttle.count_failure("0")
    throttle.count_failure("one more")
    assert throttle.count_failure("0") == 3
    assert throttle.count_failure("1") == 1


def test_a_source_exceeds_its_limit_and_no_other() -> None:
    throttle = Throttle(Clock())
    exceeded = [throttle.is_exceeded("a") for _ in range(MAX_FAILURES + 1)]
    assert exceeded == [False] * MAX_FAILURES + [True]
    assert not throttle.is_exceeded("b")


def test_all_sources_together_have_a_limit() -> None:
    clock = Clock()
    throttle = Throttle(clock)
    exceeded = [throttle.is_exceeded(str(number)) for number in range(MAX_TOTAL_FAILURES + 1)]
    assert exceeded == [False] * MAX_TOTAL_FAILURES + [True]
    clock.seconds = WINDOW_SECONDS
    assert not throttle.is_exceeded("a")


def test_one_source_does_not_use_up_the_limit_of_all() -> None:
    throttle = Throttle(Clock())
    for _ in range(2 * MAX_TOTAL_FAILURES):
        throttle.is_exceeded("a")
    assert not throttle.is_exceeded("b")
