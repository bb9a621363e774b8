"""Loading during init: it does not wait for the store, and no error ends the init."""

from threading import Event
from typing import NoReturn

from podgraft.base.deadline import Deadline
from podgraft.core.versions.errors import UnavailableError
from podgraft.core.versions.snapshot import Snapshot
from podgraft.service.store import CallerRegistry, start_loading


class SlowStores:
    """A store of policies and callers that answers after ``released``, and then fails."""

    def __init__(self) -> None:
        self.released = Event()
        self.answered: set[str] = set()

    def snapshot(
        self,
        injector: str,
        cluster: str | None,
        deadline: Deadline | None = None,
        groups: tuple[str, ...] = (),
    ) -> Snapshot:
        del cluster, deadline, groups
        self._fail(injector)

    def injectors(self, deadline: Deadline | None = None) -> tuple[str, ...]:
        del deadline
        return ()

    def callers(self, deadline: Deadline | None = None) -> CallerRegistry:
        del deadline
        self._fail("callers")

    def _fail(self, name: str) -> NoReturn:
        self.released.wait(60)
        self.answered.add(name)
        raise UnavailableError(name)


def test_both_load_at_the_same_time_while_the_process_goes_on() -> None:
    stores = SlowStores()
    threads = start_loading(stores, stores)
    assert all(thread.is_alive() for thread in threads)
    stores.released.set()
    for thread in threads:
        thread.join(60)
    assert stores.answered == {"default", "callers"}
