"""What is compared is measured equally often, and follows each other thing in turn."""

from itertools import pairwise

from bench.timing import Action, time_interleaved

NAMES = ("small", "large", "huge")


def order(repetitions: int, warmup: int = 0) -> list[str]:
    """The names of what was done, one after the other."""
    done: list[str] = []

    def maker(name: str) -> Action:
        return lambda: done.append(name)

    taken = time_interleaved(
        {name: lambda _, name=name: maker(name) for name in NAMES}, repetitions, warmup=warmup
    )
    assert {len(each.seconds) for each in taken.values()} == {repetitions}
    return done


def test_each_repetition_has_everything_once() -> None:
    done = order(20, warmup=5)
    turns = [set(done[at : at + 3]) for at in range(0, len(done), 3)]
    assert turns == [set(NAMES)] * 25


def test_nothing_always_follows_the_same() -> None:
    followed = set(pairwise(order(50)))
    assert {before for before, after in followed if after == "small"} == set(NAMES)


def test_the_order_is_the_same_in_every_run() -> None:
    assert order(10) == order(10)
