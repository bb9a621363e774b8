"""What AWS's faults cost: which status, which requests, and what a first version that fails gets.

The whole table, with an earlier version that loads, is ``test_fault_matrix.py``.
"""

from collections.abc import Callable, Generator

import pytest

from podgraft.core import bundle
from service.store.aws_fault_proxy import Fault, FaultyAws, Service
from service.store.local_aws import (
    BUNDLE,
    NEXT,
    REFRESH_SECONDS,
    World,
    aws_world,
    is_injected,
    review,
)

GONE = bundle.digest({"injector.yaml": b"was deleted"})
BROKEN = {"injector.yaml": b"apiVersion: [v1\n"}


@pytest.fixture
def world(faulty: FaultyAws) -> Generator[World]:
    """AWS as the clients call it."""
    with aws_world(faulty) as made:
        yield made


# What makes each fault, and the status of a cold review that meets it.
Make = Callable[[World], object]


def _fail_service(service: Service, fault: Fault) -> Make:
    return lambda world: world.fail(service, fault)


def _wrong_digest(world: World) -> None:
    world.put_policy(f"bundle: {world.put_bundle(BUNDLE, bundle.digest(NEXT))}\n")


def _invalid_bundle(world: World) -> None:
    world.put_policy(f"bundle: {world.put_bundle(BROKEN)}\n")


def _delete_bundle(world: World) -> None:
    world.put_policy(f"bundle: {GONE}\n")


VERSIONS: tuple[tuple[str, Make, int], ...] = (
    ("s3 wrong digest", _wrong_digest, 500),
    ("s3 invalid YAML", _invalid_bundle, 500),
    ("s3 bundle deleted", _delete_bundle, 500),
    ("ssm invalid YAML", lambda world: world.put_policy("policy: ["), 500),
)
CASES: tuple[tuple[str, Make, int], ...] = (
    *(
        (f"{s} {f}", _fail_service(s, f), 500 if f is Fault.DENIED else 503)
        for s in Service
        for f in Fault
    ),
    *VERSIONS,
    ("ssm parameter deleted", World.delete_policy, 404),
)
OF_A_VERSION = {name for name, _, _ in VERSIONS}
IDS = [name for name, _, _ in CASES]


@pytest.mark.parametrize(("name", "make", "status"), CASES, ids=IDS)
def test_cold(world: World, name: str, make: Make, status: int) -> None:
    """The call fails with the status that says whose fault it is, soon enough to be repeated."""
    if name in OF_A_VERSION:
        world.delete_policy()  # so that the one that fails is the only one
    make(world)
    function = world.function()
    answer = review(function)
    assert answer.status_code == status, answer.get_json()
    assert answer.get_json()["kind"] == "Status"
    assert (answer.headers.get("Retry-After") == "1") == (status == 503)


def test_a_service_that_hangs_is_requested_once(world: World) -> None:
    """One attempt is all that patience leaves time for."""
    for service in Service:
        world.fail(service, Fault.TIMEOUT)
    world.faulty.calls.clear()
    answer = review(world.function())
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
    assert world.faulty.calls == [Service.SSM]


def test_a_fresh_snapshot_requests_nothing_of_the_network(world: World) -> None:
    """Only the first of many reviews reads anything."""
    function = world.function()
    review(function)
    world.faulty.calls.clear()
    for _ in range(5):
        assert is_injected(review(function))
    assert world.faulty.calls == []


def test_an_unchanged_policy_reads_no_bundle(world: World) -> None:
    """A refresh that finds the same version is one call to Parameter Store."""
    function = world.function()
    review(function)
    world.faulty.calls.clear()
    world.now += REFRESH_SECONDS
    review(function)
    assert world.faulty.calls == [Service.SSM]


def test_a_write_to_the_bucket_alone_changes_no_pod(world: World) -> None:
    """The policy names the digest; another content under it is refused, and is never in force."""
    warm = world.function()
    before = review(warm).get_json()["response"]["patch"]
    world.put_bundle(NEXT, world.put_bundle(BUNDLE))
    world.now += REFRESH_SECONDS
    assert review(warm).get_json()["response"]["patch"] == before
    assert review(world.function()).status_code == 500


def test_a_refused_version_is_compiled_once(world: World) -> None:
    """Until the parameter changes again, a refresh reads no bundle for it."""
    function = world.function()
    review(function)
    _invalid_bundle(world)
    for expected in ([Service.SSM, Service.S3, Service.S3, Service.SSM], [Service.SSM]):
        world.faulty.calls.clear()
        world.now += REFRESH_SECONDS
        assert is_injected(review(function))
        assert world.faulty.calls == expected
