"""Three injectors and ten clusters at once, while their policies and bundles change."""

from itertools import cycle, product
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep

from podgraft.core import bundle, review
from podgraft.core.review.results import ReviewRecord, ReviewResponse
from podgraft.core.review_context import ReviewContext
from podgraft.kube import admission
from podgraft.service.store.folder import FolderStore
from support.recorded_requests import load_request
from support.store_fixture import BUNDLE, CONFIG, MESH, write, write_injector

INJECTORS = ("default", "istio", "logging")
CLUSTERS = tuple(f"cluster-{number}" for number in range(10))
ROUNDS = 12

OTHER = {"injector.yaml": CONFIG.replace("proxy:", "other:").encode(), "mesh.yaml": MESH.encode()}
PAIRS = {bundle.digest(BUNDLE): "enabled", bundle.digest(OTHER): "disabled"}
REQUEST = admission.decode(load_request("03-kubectl-run").body)


def policy_of(digest: str) -> str:
    """Half of the clusters override the policy; the bundle identifies the version."""
    opposite = {"enabled": "disabled", "disabled": "enabled"}[PAIRS[digest]]
    overrides = "".join(f"  {name}: {{policy: {opposite}}}\n" for name in CLUSTERS[::2])
    return f"bundle: {digest}\npolicy: {PAIRS[digest]}\nclusters:\n{overrides}"


def test_each_review_uses_one_pair_of_policy_and_bundle(tmp_path: Path) -> None:
    for injector in INJECTORS:
        write_injector(tmp_path, injector, policy=policy_of(bundle.digest(BUNDLE)))
        for path, content in OTHER.items():
            folder = bundle.digest(OTHER).removeprefix("sha256:")
            write(tmp_path / injector / "bundles" / folder / path, content)
    store = FolderStore(tmp_path)
    for injector in INJECTORS:
        store.snapshot(injector, None)
    answered: list[ReviewRecord] = []
    done = Event()
    readers = [Thread(target=send_reviews, args=(store, done, answered)) for _ in range(3)]
    for reader in readers:
        reader.start()
    for digest, _ in zip(cycle(reversed(PAIRS)), range(ROUNDS), strict=False):
        for injector in INJECTORS:
            write(tmp_path / injector / "policy.yaml", policy_of(digest).encode())
        await_answers(answered, 2 * len(INJECTORS) * len(CLUSTERS))
    done.set()
    for reader in readers:
        reader.join()
    assert {facts.bundle for facts in answered} == PAIRS.keys()
    assert not any(facts.stale for facts in answered)
    for facts in answered:
        overridden = facts.cluster in CLUSTERS[::2]
        injected = facts.decision == "inject"
        assert injected is ((PAIRS[facts.bundle] == "enabled") is not overridden)


def await_answers(answered: list[ReviewRecord], more: int) -> None:
    wanted, give_up = len(answered) + more, monotonic() + 60
    while len(answered) < wanted:
        assert monotonic() < give_up
        sleep(0.001)


def send_reviews(store: FolderStore, done: Event, answered: list[ReviewRecord]) -> None:
    while not done.is_set():
        for injector, cluster in product(INJECTORS, CLUSTERS):
            outcome = review.inject(
                ReviewContext(injector=injector, cluster=cluster).with_request(REQUEST), store
            )
            assert isinstance(outcome, ReviewResponse)
            answered.append(outcome.record)
