"""Where the newest version of a policy does not load, the newest earlier one that loads answers."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

import pytest

from podgraft.base.deadline import MAX_WAIT_SECONDS, Deadline
from podgraft.core import bundle
from podgraft.core.versions.errors import (
    NotLoadedError,
    StoreError,
    UnavailableError,
    UnknownInjectorError,
)
from podgraft.core.versions.snapshot import Snapshot
from podgraft.service.store.aws.client import MissingError, RetryBudget
from podgraft.service.store.aws.ssm import Parameter
from podgraft.service.store.aws.store import CachedStore
from support.effort import scaled
from support.memory_store import cached_store
from support.store_fixture import BUNDLE

GOOD = bundle.digest(BUNDLE)
DENIED = NotLoadedError("reading parameter /p/istio/policy: AccessDeniedException")
REFRESH_SECONDS = 30
NAMESPACE = b"{apiVersion: v1, kind: Namespace, metadata: {name: shop}}"


class Cloud:
    """Versions of one policy and bundles, the requests for them, and the time they take."""

    def __init__(self) -> None:
        self.now = 0.0
        self.versions: list[Parameter] = []
        self.bundles: dict[str | None, Mapping[str, bytes]] = {GOOD: BUNDLE}
        self.requests: list[str] = []
        self.history: StoreError | None = None
        self.seconds = 0.0

    def store(self, *, deferred: bool = False) -> CachedStore:
        """The store of a new environment."""
        return cached_store(self, REFRESH_SECONDS, self.clock, deferred=deferred)

    def clock(self) -> float:
        return self.now

    def put(self, *texts: str) -> None:
        """Put new versions in force, the last one of them at the end."""
        for text in texts:
            self.versions.append(Parameter(text, str(len(self.versions) + 1)))

    def upload(self, files: Mapping[str, bytes]) -> str:
        digest = bundle.digest(files)
        self.bundles[digest] = files
        return digest

    def policy(self, injector: str, patience: RetryBudget) -> Parameter:
        self._request("policy", patience)
        if not self.versions:
            raise MissingError(f"reading parameter {injector}: not there")
        return self.versions[-1]

    def policy_versions(
        self, injector: str, versions: Sequence[int], patience: RetryBudget
    ) -> tuple[Parameter, ...]:
        del injector
        self._request("versions", patience)
        assert len(versions) <= 10
        if self.history:
            raise self.history
        return tuple(each for each in self.versions if int(each.version) in versions)

    def injectors(self, patience: RetryBudget) -> tuple[str, ...]:
        self._request("injectors", patience)
        return ("istio",) if self.versions else ()

    def files(
        self, injector: str, digest: str | None, patience: RetryBudget
    ) -> Mapping[str, bytes]:
        del injector
        self._request("bundle", patience)
        if digest is None or digest not in self.bundles:
            raise MissingError(f"bundle {digest} is missing in S3; push it again")
        return self.bundles[digest]

    def _request(self, what: str, patience: RetryBudget) -> None:
        self.now += self.seconds
        if patience.remaining_seconds <= 0:
            raise UnavailableError("no time left")
        self.requests.append(what)


def named(label: str = "") -> str:
    return f"bundle: {GOOD}\nrevision: r{label}\n"


def of(cloud: Cloud, store: CachedStore) -> Snapshot:
    return store.snapshot("istio", None, Deadline.from_timeout(10.0, cloud.clock))


INVALID: Mapping[str, str] = {
    "not YAML": "policy: [",
    "unknown key": f"bundle: {GOOD}\npolcy: enabled\n",
    "no bundle": "policy: enabled\n",
    "missing bundle": f"bundle: sha256:{'0' * 64}\n",
}


@pytest.mark.parametrize("text", INVALID.values(), ids=INVALID)
def test_a_cold_start_responds_with_the_version_before(text: str) -> None:
    cloud = Cloud()
    cloud.put(named("1"), named("2"), text)
    found = of(cloud, cloud.store())
    assert found.policy_version == "2"
    assert found.stale is not None
    assert found.stale.is_invalid
    assert found.stale.reason.startswith("policy version 2 is in force instead of version 3: ")


def test_a_valid_newest_version_costs_no_more_requests() -> None:
    cloud = Cloud()
    cloud.put(INVALID["not YAML"], named())
    assert of(cloud, cloud.store()).stale is None
    assert cloud.requests == ["policy", "bundle"]


def test_a_start_with_a_valid_newest_version_imports_nothing_of_this() -> None:
    program = (
        "import sys\n"
        "from service.store.test_earlier_versions import Cloud, named, of\n"
        "cloud = Cloud()\n"
        "cloud.put('policy: [', named())\n"
        "of(cloud, cloud.store(deferred=True))\n"
        "assert 'podgraft.service.store.aws.store' in sys.modules\n"
        "assert 'podgraft.service.store.aws.earlier_versions' not in sys.modules\n"
        "cloud.put('policy: [')\n"
        "of(cloud, cloud.store(deferred=True))\n"
        "assert 'podgraft.service.store.aws.earlier_versions' in sys.modules\n"
    )
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "PATH": os.environ["PATH"]}
    done = subprocess.run([sys.executable, "-c", program], env=environment, check=False)
    assert done.returncode == 0


def test_all_versions_are_tried_newest_first_ten_a_request() -> None:
    cloud = Cloud()
    cloud.put(named("1"), named("2"), *["policy: ["] * 25)
    assert of(cloud, cloud.store()).policy_version == "2"
    assert cloud.requests == ["policy", *["versions"] * 3, "bundle"]


def test_no_more_versions_are_tried_than_parameter_store_retains() -> None:
    cloud = Cloud()
    cloud.put(named(), *["policy: ["] * 101)
    store = cloud.store()
    for _ in range(2):
        with pytest.raises(NotLoadedError, match="no earlier version loads"):
            of(cloud, store)
    # What was refused once is not read again.
    assert cloud.requests == ["policy", *["versions"] * 10, "policy"]


def test_a_first_version_that_does_not_load_has_nothing_before_it() -> None:
    cloud = Cloud()
    cloud.put("policy: [")
    with pytest.raises(NotLoadedError) as error:
        of(cloud, cloud.store())
    assert str(error.value).startswith("injector istio does not load: policy: /: invalid YAML")
    assert cloud.requests == ["policy"]


def test_a_missing_bundle_is_requested_once_for_all_versions_that_name_it() -> None:
    cloud = Cloud()
    missing = INVALID["missing bundle"]
    cloud.put(named(), missing, f"{missing}revision: a\n", f"{missing}revision: b\n")
    assert of(cloud, cloud.store()).policy_version == "1"
    assert cloud.requests == ["policy", "bundle", "versions", "bundle"]


def test_the_next_version_that_loads_ends_it() -> None:
    cloud = Cloud()
    cloud.put(named("1"), "policy: [")
    store = cloud.store()
    assert of(cloud, store).stale
    cloud.put(named("3"))
    cloud.now += REFRESH_SECONDS
    found = of(cloud, store)
    assert (found.policy_version, found.stale) == ("3", None)


def test_a_bundle_that_is_pushed_again_ends_it() -> None:
    cloud = Cloud()
    files = {**BUNDLE, "namespace.yaml": NAMESPACE}
    digest = bundle.digest(files)
    cloud.put(named("1"), f"bundle: {digest}\n")
    store = cloud.store()
    assert of(cloud, store).policy_version == "1"
    cloud.upload(files)
    cloud.now += REFRESH_SECONDS
    found = of(cloud, store)
    assert (found.policy_version, found.stale) == ("2", None)


def test_a_fallback_states_how_long_it_has_been_in_force() -> None:
    cloud = Cloud()
    cloud.put(named("1"), "policy: [")
    store = cloud.store()
    of(cloud, store)
    ages: list[int] = []
    for _ in range(3):
        cloud.now += REFRESH_SECONDS + 1
        stale = of(cloud, store).stale
        assert stale is not None
        ages.append(stale.age_seconds)
    assert ages == [31, 62, 93]


def test_a_running_environment_takes_a_version_that_it_missed() -> None:
    cloud = Cloud()
    cloud.put(named("1"))
    store = cloud.store()
    of(cloud, store)
    cloud.put(named("2"), "policy: [")
    cloud.now += REFRESH_SECONDS
    assert of(cloud, store).policy_version == "2"
    cloud.requests.clear()
    cloud.now += REFRESH_SECONDS
    assert of(cloud, store).policy_version == "2"
    assert cloud.requests == ["policy"]


def test_versions_of_a_parameter_that_was_created_again_are_others() -> None:
    cloud = Cloud()
    cloud.put(named("1"), named("2"))
    store = cloud.store()
    assert of(cloud, store).policy_version == "2"
    cloud.versions = []
    cloud.put("policy: [", named("new"))
    cloud.now += REFRESH_SECONDS
    found = of(cloud, store)
    assert (found.policy_version, found.policy.revision, found.stale) == ("2", "rnew", None)
    cloud.versions = []
    cloud.put(named("third"))
    cloud.now += REFRESH_SECONDS
    assert of(cloud, store).policy.revision == "rthird"


def test_so_are_those_of_one_that_has_more_versions_than_before() -> None:
    cloud = Cloud()
    cloud.put(named("1"), "policy: [")
    store = cloud.store()
    assert of(cloud, store).policy_version == "1"
    cloud.versions = []
    cloud.put(named("first"), named("second"), "policy: [")
    cloud.now += REFRESH_SECONDS
    assert of(cloud, store).policy.revision == "rsecond"


def test_a_version_of_a_deleted_parameter_hides_none_of_the_new_one() -> None:
    cloud = Cloud()
    cloud.put(named("1"), named("2"))
    store = cloud.store()
    assert of(cloud, store).policy_version == "2"
    cloud.versions = []
    cloud.put(named("first"), "policy: [", "policy: [")
    cloud.now += REFRESH_SECONDS
    found = of(cloud, store)
    assert (found.policy_version, found.policy.revision) == ("1", "rfirst")
    assert found.stale is not None


@pytest.mark.parametrize("history", [UnavailableError("timeout"), DENIED])
def test_a_deleted_parameter_is_found_also_if_its_versions_can_be_read_only_later(
    history: StoreError,
) -> None:
    cloud = Cloud()
    cloud.put(named("1"), named("2"))
    store = cloud.store()
    of(cloud, store)
    cloud.versions = []
    cloud.put(named("first"), "policy: [", "policy: [")
    cloud.history = history
    cloud.now += REFRESH_SECONDS
    assert of(cloud, store).policy.revision == "r2"
    cloud.history = None
    cloud.now += REFRESH_SECONDS
    assert of(cloud, store).policy.revision == "rfirst"


def test_a_version_after_a_rejected_one_needs_no_earlier_versions() -> None:
    cloud = Cloud()
    cloud.put(named("1"), "policy: [")
    store = cloud.store()
    assert of(cloud, store).policy_version == "1"
    cloud.history = UnavailableError("reading earlier versions: timeout")
    cloud.put(named("3"))
    cloud.now += REFRESH_SECONDS
    found = of(cloud, store)
    assert (found.policy_version, found.stale) == ("3", None)


def test_a_newest_version_that_cannot_be_decrypted_is_like_one_that_does_not_load() -> None:
    cloud = Cloud()
    cloud.put(named("1"))
    cloud.versions.append(Parameter("", "2", DENIED))
    found = of(cloud, cloud.store())
    assert found.policy_version == "1"
    assert found.stale is not None
    assert "AccessDeniedException" in found.stale.reason


HISTORY: tuple[tuple[StoreError, type[StoreError]], ...] = (
    (NotLoadedError("reading earlier versions: AccessDeniedException"), NotLoadedError),
    (UnavailableError("reading earlier versions: ThrottlingException"), UnavailableError),
)


@pytest.mark.parametrize(("problem", "kind"), HISTORY, ids=["denied", "throttled"])
def test_a_cold_start_that_cannot_read_earlier_versions_reports_both(
    problem: StoreError, kind: type[StoreError]
) -> None:
    cloud = Cloud()
    cloud.put(named("1"), "policy: [")
    cloud.history = problem
    store = cloud.store()
    with pytest.raises(kind, match=r"invalid YAML.*reading earlier versions"):
        of(cloud, store)
    cloud.history = None
    assert of(cloud, store).policy_version == "1"


@pytest.mark.parametrize(("problem", "_kind"), HISTORY, ids=["denied", "throttled"])
def test_a_running_environment_retains_its_version_then(
    problem: StoreError, _kind: type[StoreError]
) -> None:
    cloud = Cloud()
    cloud.put(named("1"))
    store = cloud.store()
    of(cloud, store)
    cloud.put(named("2"), "policy: [")
    cloud.history = problem
    cloud.now += REFRESH_SECONDS
    found = of(cloud, store)
    assert found.policy_version == "1"
    assert found.stale is not None
    assert found.stale.is_invalid
    cloud.history = None
    cloud.now += REFRESH_SECONDS
    assert of(cloud, store).policy_version == "2"


def test_the_search_ends_with_the_deadline_and_goes_on_with_the_next_review() -> None:
    cloud = Cloud()
    broken = [f"bundle: {cloud.upload({'a.yaml': b'[%d' % n})}\n" for n in range(12)]
    cloud.put(named("1"), *broken)
    cloud.seconds = 0.2
    store = cloud.store()
    tries = 0
    found = None
    while found is None:
        began = cloud.now
        try:
            found = of(cloud, store)
        except UnavailableError:
            tries += 1
        assert cloud.now - began <= MAX_WAIT_SECONDS + cloud.seconds
        assert tries < 10
    assert (found.policy_version, tries > 0) == ("1", True)
    # Each broken bundle was requested once, though several reviews went on with the search.
    assert cloud.requests.count("bundle") == len(broken) + 1


def test_a_deleted_policy_is_unknown_and_remains_in_force() -> None:
    cloud = Cloud()
    cloud.put(named("1"))
    warm = cloud.store()
    of(cloud, warm)
    cloud.versions = []
    cloud.now += REFRESH_SECONDS
    assert of(cloud, warm).stale is not None
    cold = cloud.store()
    with pytest.raises(UnknownInjectorError, match="create it: podgraft push --injector"):
        of(cloud, cold)
    assert (warm.injectors(), cold.injectors()) == (("istio",), ())


# --- the law


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happens to a policy."""

    name: str
    act: Callable[[Cloud, Random], None]


def _outage(cloud: Cloud, random: Random) -> None:
    del random
    cloud.history = UnavailableError("on purpose")


STEPS = (
    Step("good", lambda cloud, random: cloud.put(named(str(random.random())))),
    Step("invalid", lambda cloud, random: cloud.put(f"polcy: {random.random()}\n")),
    Step("no bundle", lambda cloud, _: cloud.put(INVALID["missing bundle"])),
    Step("history away", _outage),
)


@pytest.mark.parametrize("seed", range(scaled(50, by=10)))
def test_cold_and_warm_environments_agree(seed: int) -> None:
    random = Random(seed)  # noqa: S311 — the seed is in the test's name
    cloud = Cloud()
    cloud.put(named("first"))
    warm = [cloud.store() for _ in range(2)]
    for turn in range(15):
        cloud.history = None
        random.choice(STEPS).act(cloud, random)
        cloud.now += REFRESH_SECONDS + 1
        for store in warm if random.random() < 0.5 else warm[:1]:
            cloud.requests.clear()
            of(cloud, store)
            assert cloud.requests.count("versions") <= 3 + turn // 10
        if cloud.history is None:
            cloud.now += REFRESH_SECONDS + 1
            newest = max(
                int(v.version) for v in cloud.versions if v.text.startswith(f"bundle: {GOOD}")
            )
            every = [of(cloud, store).policy_version for store in (*warm, cloud.store())]
            assert every == [str(newest)] * 3
