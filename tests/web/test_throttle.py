"""Failed calls are counted by source, for a while, in bounded memory."""

from podgraft.web.throttle import MAX_SOURCES, WINDOW_SECONDS, Throttle


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_each_source_has_its_own_count() -> None:
    throttle = Throttle(Clock())
    assert [throttle.failed(source) for source in ("a", "b", "a", "a")] == [1, 1, 2, 3]


def test_a_window_ends() -> None:
    clock = Clock()
    throttle = Throttle(clock)
    throttle.failed("a")
    clock.seconds = WINDOW_SECONDS - 0.001
    assert throttle.failed("a") == 2
    clock.seconds = WINDOW_SECONDS
    assert throttle.failed("a") == 1


def test_the_longest_silent_source_is_forgotten_first() -> None:
    throttle = Throttle(Clock())
    for number in range(MAX_SOURCES):
        throttle.failed(str(number))
    throttle.failed("0")
    throttle.failed("one more")
    assert throttle.failed("0") == 3
    assert throttle.failed("1") == 1
