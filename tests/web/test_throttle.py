"""Failed calls are counted by source, for a while, in bounded memory."""

from podgraft.web.throttle import MAX_SOURCES, WINDOW_SECONDS, Throttle


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
