"""One baton for all threads of a run: only the thread that holds it runs, and time is virtual.

A task is a real thread. It gives the baton away only where code waits: for time, a lock, another
thread, or AWS. A heap of virtual times decides which task is next, so a run follows from its seed.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import sys
from collections.abc import Callable
from heapq import heappop, heappush
from threading import Lock, Thread
from typing import Any

# Nobody waits longer for a step of a run. A real lock that a parked thread holds would stop it.
WATCHDOG_SECONDS = 60.0
NEWEST_DOCUMENTS = 3  # that a function of this release reads, by template.yaml


def prepare_process(number: int) -> None:
    """Make a process faster that only runs seeds.

    A thread wakes another one of the same processor much sooner, and what is imported is no
    garbage.
    """
    if hasattr(os, "sched_setaffinity"):  # of Linux alone
        processors = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {processors[number % len(processors)]})
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


class StoppedError(BaseException):
    """The run is over: a task that still waits ends here."""


class DeadlockError(Exception):
    """Tasks wait for each other, and nothing else can happen."""


class Node:
    """A process: an environment, a command of an operator, or a cluster.

    Its clocks differ from the time of the world by offsets. While it is frozen, its tasks wait. The
    tasks of a killed node wait until the run ends, without ``finally`` blocks.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.stream = name  # of its random bytes
        self.documents = NEWEST_DOCUMENTS
        self.tape: Any = None  # of the responses before a snapshot
        self.dead: set[str] = set()  # services whose connections did not survive a restore
        self.killed = False
        self.frozen = False
        self.parked: list[Task] = []
        self.wall_offset = 0.0
        self.monotonic_offset = 0.0
        self.output: list[str] = []
        self.random_count = 0
        self.calls = 0
        self.killed_at_call = 0


class Promise:
    """A result that a task waits for."""

    def __init__(self, baton: Baton) -> None:
        self.baton = baton
        self.done = False
        self.result: object = None
        self.error: BaseException | None = None
        self._joiners: list[Task] = []

    def finish(self, result: object, error: BaseException | None = None) -> None:
        """Set the result, and wake the tasks that wait for it."""
        self.done, self.result, self.error = True, result, error
        for joiner in self._joiners:
            self.baton.wake(joiner)

    def join(self, timeout: float | None = None) -> None:
        """Wait for the result, at most *timeout* virtual seconds."""
        if self.done:
            return
        waiting = self.baton.current
        self._joiners.append(waiting)
        self.baton.wait(timeout)
        if waiting in self._joiners:
            self._joiners.remove(waiting)

    def is_alive(self) -> bool:
        """Whether there is no result yet."""
        return not self.done


class Worker:
    """A thread that runs tasks, one after the other: a new thread costs more than a review."""

    def __init__(self) -> None:
        self._gate = Lock()
        self._gate.acquire()
        self._task: Task | None = None
        self.thread = Thread(target=self._live, daemon=True)
        self.thread.start()

    def run(self, task: Task | None) -> None:
        """Run a task; without one, the thread ends."""
        self._task = task
        self._gate.release()

    def _live(self) -> None:
        while True:
            self._gate.acquire()
            if self._task is None:
                return
            self._task.run(self)


class Task(Promise):
    """Work of a node; ``ticket`` makes earlier entries of the heap invalid."""

    def __init__(self, baton: Baton, node: Node, work: Callable[[], object]) -> None:
        super().__init__(baton)
        self.node, self._work = node, work
        self.gate = Lock()
        self.gate.acquire()
        self.ticket = 0
        self.worker: Worker | None = None

    def resume(self) -> None:
        """Let the task run; it gets a thread with its first step."""
        if self.worker is None:
            idle = self.baton.idle
            self.worker = idle.pop() if idle else Worker()
            self.worker.run(self)
        else:
            self.gate.release()

    def run(self, worker: Worker) -> None:
        """Do the work, in the thread of *worker*."""
        result: object = None
        error: BaseException | None = None
        try:
            if not self.baton.stopped:
                result = self._work()
        except StoppedError:
            pass
        except BaseException as problem:  # noqa: BLE001 — the run reports it
            error = problem

        if not self.baton.stopped:
            self.baton.idle.append(worker)
        self.baton.end(self, result, error)


class VirtualLock:
    """A lock between tasks. The next owner is the task that waited longest."""

    def __init__(self, baton: Baton) -> None:
        self._baton = baton
        self._owner: Task | None = None
        self._waiting: list[Task] = []

    def acquire(self, blocking: bool = True) -> bool:
        """Take the lock."""
        if self._owner is None:
            self._owner = self._baton.current
            return True
        if not blocking:
            return False
        self._waiting.append(self._baton.current)
        self._baton.wait(None)
        return True

    def release(self) -> None:
        """Give the lock to the next task."""
        self._owner = self._waiting.pop(0) if self._waiting else None
        if self._owner is not None:
            self._baton.wake(self._owner)

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


class Baton:
    """The scheduler. ``now`` is the virtual time in seconds; ``tie`` orders equal times."""

    def __init__(self, tie: Callable[[int], float]) -> None:
        self.now = 0.0
        self.stopped = False
        self.handovers = 0
        self._tie = tie
        self._heap: list[tuple[float, float, int, Task, int]] = []
        self._count = 0
        self._until = 0.0
        self._main = Lock()
        self._main.acquire()
        self._tasks: set[Task] = set()
        self.idle: list[Worker] = []
        self.errors: list[tuple[float, Task]] = []
        self.current = Task(self, Node("world"), lambda: None)

    def spawn(self, node: Node, work: Callable[[], object], delay: float = 0.0) -> Task:
        """Start a task of *node* after *delay*."""
        task = Task(self, node, work)
        self._tasks.add(task)
        self._push(task, self.now + delay)
        return task

    def wait(self, seconds: float | None) -> None:
        """Let other tasks run for *seconds*, or until somebody wakes this task."""
        task = self.current
        if self.stopped:
            raise StoppedError
        task.ticket += 1
        if seconds is not None:
            self._push(task, self.now + max(seconds, 0.0))
        self._hand_over(task)

    def wake(self, task: Task) -> None:
        """Let a waiting task run as soon as possible."""
        task.ticket += 1
        self._push(task, self.now)

    def freeze(self, node: Node) -> None:
        """Stop the tasks of a node."""
        node.frozen = True

    def thaw(self, node: Node) -> None:
        """Let the tasks of a node continue; what was due in the freeze is due now."""
        node.frozen = False
        for task in node.parked:
            self._push(task, self.now)
        node.parked.clear()

    def die(self) -> None:
        """Kill the node of the current task: nothing of it runs again."""
        self.current.node.killed = True
        self.wait(None)

    def run(self, until: float) -> None:
        """Run tasks until the time *until*, or until nothing is left to do."""
        self._until = until
        first = self._pick()
        if first is not None:
            first.resume()
            steps = -1
            while not self._main.acquire(timeout=WATCHDOG_SECONDS * 10):
                if steps != self._count:
                    steps = self._count
                    continue
                faulthandler.dump_traceback(file=sys.__stderr__ or sys.stderr, all_threads=True)
                raise DeadlockError("no task gave the baton away; the stacks are above")

    def stop(self) -> None:
        """End all tasks that still wait."""
        self.stopped = True
        for task in [task for task in self._tasks if task.worker is not None]:
            task.gate.release()
            _end_worker(task.worker)
        for worker in self.idle:
            _end_worker(worker)

    def end(self, task: Task, result: object, error: BaseException | None) -> None:
        """Hand the baton over from a task that is done."""
        task.done = True
        if self.stopped:
            return
        self._tasks.discard(task)
        task.finish(result, error)
        if error is not None:
            self.errors.append((self.now, task))
        self._give(self._pick())

    def _hand_over(self, task: Task) -> None:
        following = self._pick()
        if following is not task:
            self.handovers += 1
            self._give(following)
            task.gate.acquire()
        if self.stopped:
            raise StoppedError

    def _give(self, task: Task | None) -> None:
        if task is None:
            self._main.release()
        else:
            task.resume()

    def _push(self, task: Task, time: float) -> None:
        self._count += 1
        entry = (time, self._tie(self._count), self._count, task, task.ticket)
        heappush(self._heap, entry)

    def _pick(self) -> Task | None:
        while self._heap:
            time, _, _, task, ticket = heappop(self._heap)
            if task.done or ticket != task.ticket or task.node.killed:
                continue
            if task.node.frozen:
                task.node.parked.append(task)
                continue
            if time > self._until:
                return None
            self.now = max(self.now, time)
            self.current = task
            return task
        return None


def _end_worker(worker: Worker | None) -> None:
    if worker is not None:
        worker.run(None)
        worker.thread.join(WATCHDOG_SECONDS)
