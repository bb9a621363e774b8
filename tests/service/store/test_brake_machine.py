"""Brakes against every other change, in any order, in three environments.

A brake wins over each policy: of an operator who pushes, starts, steps, or promotes at the same
time. It needs one refresh, or three intervals if Parameter Store is out of reach. It changes no
policy, and stable never changes by it.
"""

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from podgraft.base.jsonvalue import Object
from podgraft.cli.policy.rollout import text
from podgraft.core.policy.rollout import RolloutMode
from podgraft.core.versions.brake import ALL, is_stopped, parse_brakes
from podgraft.core.versions.errors import StoreError
from podgraft.core.versions.snapshot import Snapshot
from podgraft.kube import yaml
from service.http.conftest import Clock
from support.effort import scaled
from support.memory_store import MemoryStore, cached_store, labelled_bundle
from support.store_fixture import BUNDLE

REFRESH = 30
IDS = ("a", "b")
INJECTOR = "istio"
ENVIRONMENTS = 3


class BrakeMachine(RuleBasedStateMachine):
    """Parameter Store with a policy and two brakes, and the environments that read them."""

    @initialize()
    def deploy(self) -> None:
        self.memory, self.clock = MemoryStore(), Clock()
        self.stable, self.candidate = (
            self.memory.upload(files) for files in (BUNDLE, labelled_bundle("2.0"))
        )
        self.brakes: dict[str, tuple[str, float]] = {}  # text and time, by place
        self.aborting: str | None = None
        self.unreachable_at = -1.0
        self.text = ""
        self.put(f"bundle: {self.stable}\n")
        self.environments = [
            cached_store(self.memory, REFRESH, self.clock) for _ in range(ENVIRONMENTS)
        ]

    def put(self, document: str) -> None:
        self.text = document
        self.memory.put(INJECTOR, document)

    def set_brake(self, place: str, brake: str) -> None:
        """Write a brake; an earlier one for the same rollouts has an effect since its own time."""
        before = self.brakes.get(place)
        since = self.clock.seconds
        if before is not None and parse_brakes([before[0]]) == parse_brakes([brake]):
            since = before[1]
        self.brakes[place] = brake, since
        self.memory.brakes = tuple(brake for brake, _ in self.brakes.values())

    @property
    def rollout(self) -> Object | None:
        return text.read_rollout(self.text)

    # Operators

    @rule(revision=st.sampled_from("xyz"), with_rollout=st.booleans())
    def push(self, revision: str, with_rollout: bool) -> None:
        rollout = self.rollout if with_rollout else None
        document = f"bundle: {self.stable}\nrevision: {revision}\n"
        self.put(document if rollout is None else text.set_rollout(document, rollout))

    @rule(id_=st.sampled_from(IDS), mode=st.sampled_from(["share", "shadow"]))
    def start(self, id_: str, mode: str) -> None:
        """Also while a brake stops the id: another command line does not read the brakes."""
        candidate: Object = {"bundle": self.candidate}
        rollout: Object = {"id": id_, "mode": mode, "share": 50, "candidate": candidate}
        self.put(text.set_rollout(self.text, rollout))

    @precondition(lambda self: self.rollout is not None)
    @rule(share=st.sampled_from([0, 1, 100]), mode=st.sampled_from(["share", "paused"]))
    def step(self, share: int, mode: str) -> None:
        self.put(
            text.set_rollout(self.text, {**(self.rollout or {}), "share": share, "mode": mode})
        )

    @precondition(lambda self: self.rollout is not None)
    @rule()
    def promote(self) -> None:
        """The document has the bundle of the candidate, so the rollout has ended."""
        self.put(text.promote(self.text))
        self.stable, self.candidate = self.candidate, self.stable

    @precondition(lambda self: self.rollout is not None)
    @rule()
    def abort_first(self) -> None:
        """The first write of abort. Any other rule can come before the second one."""
        self.aborting = str((self.rollout or {})["id"])
        self.set_brake(INJECTOR, yaml.dump({"id": self.aborting, "reason": "r"}))

    @precondition(lambda self: self.aborting is not None and self.rollout is not None)
    @rule()
    def abort_second(self) -> None:
        if (self.rollout or {})["id"] == self.aborting:
            self.put(text.remove_rollout(self.text))
        self.aborting = None

    @rule(place=st.sampled_from([INJECTOR, "all"]))
    def release(self, place: str) -> None:
        self.brakes.pop(place, None)
        self.memory.brakes = tuple(brake for brake, _ in self.brakes.values())

    # Others

    @rule(brake=st.sampled_from([f'id: "{ALL}"\nby: guard\n', "[", "id:\n"]))
    def guard(self, brake: str) -> None:
        before = self.text
        self.set_brake("all", brake)
        assert self.text == before

    @rule()
    def push_invalid(self) -> None:
        """The last known good version stays in force, and its brakes have an effect."""
        self.memory.put(INJECTOR, "bundle: [\n")

    @rule(reachable=st.booleans())
    def reach(self, reachable: bool) -> None:
        self._note_outage()
        self.memory.reachable = reachable

    @rule(seconds=st.sampled_from([1, REFRESH + 1, 3 * REFRESH + 1]))
    def wait(self, seconds: int) -> None:
        self._note_outage()
        self.clock.seconds += seconds
        self._note_outage()

    def _note_outage(self) -> None:
        if not self.memory.reachable:
            self.unreachable_at = self.clock.seconds

    @rule(number=st.integers(0, ENVIRONMENTS - 1))
    def review(self, number: int) -> None:
        try:
            snapshot = self.environments[number].snapshot(INJECTOR, None)
        except StoreError:  # a cold start without Parameter Store, or without a valid version
            return
        assert snapshot.bundle.digest in {self.stable, self.candidate}
        self._check(snapshot)

    def _check(self, snapshot: Snapshot) -> None:
        candidate = snapshot.candidate
        if candidate is None or candidate.rollout is None or candidate.disabled is not None:
            return
        assert candidate.rollout.mode in set(RolloutMode)
        for brake, since in self.brakes.values():
            if is_stopped(candidate.rollout.id, parse_brakes([brake])):
                age = self.clock.seconds - since
                assert age <= 3 * REFRESH, "an outage prolongs a stop to three intervals at most"
                assert age <= REFRESH or self.unreachable_at >= since, "one refresh is enough"

    @invariant()
    def check_brakes(self) -> None:
        """No change of a policy removes a brake."""
        if hasattr(self, "brakes"):
            assert len(self.memory.brakes) == len(self.brakes)


TestBrakes = BrakeMachine.TestCase
TestBrakes.settings = settings(
    max_examples=scaled(300),
    stateful_step_count=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)


def test_the_machine_reaches_candidates() -> None:
    """Without brakes, the candidate is in use, so the machine checks something."""
    machine = BrakeMachine()
    machine.deploy()
    machine.start("a", "share")
    snapshot = machine.environments[0].snapshot(INJECTOR, None)
    assert snapshot.candidate is not None
    assert snapshot.candidate.disabled is None
    machine.guard("[")
    machine.clock.seconds += REFRESH + 1
    machine.review(0)
    snapshot = machine.environments[0].snapshot(INJECTOR, None)
    assert snapshot.candidate is not None
    assert snapshot.candidate.disabled == "brake"
