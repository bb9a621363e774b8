"""``podgraft push``, killed before and after each of its calls of AWS, and two at once.

The command runs in a process of its own, which is killed with SIGKILL: nothing can clean up. After
each kill, a running function and a new one answer from one complete version, and the same command
then finishes the push.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Generator
from multiprocessing import forkserver, resource_tracker
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from chaos import push_process
from service.store.aws_fault_proxy import FaultyAws
from service.store.local_aws import (
    BUCKET,
    INJECTOR,
    NEXT,
    REFRESH_SECONDS,
    World,
    aws_world,
    review,
)
from support.effort import IS_LONG

OWNER = "/podgraft/stack"
MAX_MOMENTS = 80
STEP = 1 if IS_LONG else 5  # ``make test`` kills at each fifth moment
CONTEXT = multiprocessing.get_context("forkserver")


@pytest.fixture(scope="module", autouse=True)
def preloaded() -> Generator[None]:
    """Import the command once: each process is then a fork."""
    CONTEXT.set_forkserver_preload(["chaos.push_preload"])
    yield
    # Python's own tests end the two servers so; otherwise they outlive the session.
    servers: Any = (forkserver, resource_tracker)
    servers[0]._forkserver._stop()
    servers[1]._resource_tracker._stop()


@pytest.fixture
def world(faulty: FaultyAws, monkeypatch: pytest.MonkeyPatch) -> Generator[World]:
    for name, value in push_process.make_environment(faulty.endpoint).items():
        monkeypatch.setenv(name, value)
    with aws_world(faulty) as made:
        owner = f'{{"stack": "podgraft", "bucket": "{BUCKET}", "bundlePrefix": "bundles/"}}'
        made.ssm.put_parameter(Name=OWNER, Value=owner, Type="String", Overwrite=True)
        yield made
        made.ssm.delete_parameters(Names=[OWNER])


def write_next(folder: Path, tag: str = "2") -> Path:
    """A policy and its bundle of two files, to push."""
    (folder / "bundle").mkdir(parents=True, exist_ok=True)
    content = NEXT["injector.yaml"].replace(b"proxy:2", f"proxy:{tag}".encode())
    (folder / "bundle" / "injector.yaml").write_bytes(content)
    namespace = f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: shop-{tag}}}\n"
    (folder / "bundle" / "namespace.yaml").write_text(namespace)
    (folder / "policy.yaml").write_text(f"injectedAnnotations: {{example.com/tag: t{tag}}}\n")
    return folder


def start(folder: Path, endpoint: str, kill_at: int = -1) -> BaseProcess:
    arguments = [
        *("push", "--injector", INJECTOR, "--parameter-prefix", "/podgraft", str(folder)),
    ]
    environment = push_process.make_environment(endpoint)
    process = CONTEXT.Process(target=push_process.run, args=(arguments, environment, kill_at))
    process.start()
    return process


def push(folder: Path, endpoint: str, kill_at: int = -1) -> int:
    """The exit status of a push, which is killed at a moment; -9 if it was."""
    process = start(folder, endpoint, kill_at)
    process.join(timeout=120)
    assert process.exitcode is not None
    return process.exitcode


def read_version(answer: Any) -> str:
    """Which version answers: the old one, or the pushed one with the tag of policy and bundle."""
    assert answer.status_code == 200, answer.text
    body = answer.get_json()["response"]
    assert "warnings" not in body, body
    text = push_process.decode_patch(body)
    tags = {tag for tag in "123" if f"proxy:{tag}" in text}
    stamps = {tag for tag in "123" if f'"t{tag}"' in text}
    assert len(tags) == 1
    assert stamps == (tags - {"1"}), text  # the first version has no annotation
    return tags.pop()


def test_a_push_that_is_killed_at_any_call_leaves_a_complete_version(
    world: World, tmp_path: Path
) -> None:
    endpoint, folder = world.faulty.endpoint, write_next(tmp_path)
    warm = world.function()
    assert read_version(review(warm)) == "1"
    seen: list[str] = []
    for moment in range(0, MAX_MOMENTS, STEP):
        status = push(folder, endpoint, moment)
        if status == 0:
            break
        assert status == -9
        world.now += REFRESH_SECONDS
        versions = {read_version(review(warm)), read_version(review(world.function()))}
        assert len(versions) == 1
        seen += versions
    else:
        pytest.fail("the push never ended")
    assert moment >= 8  # before and after each of at least four calls
    assert seen == sorted(seen)
    assert "1" in seen
    world.now += REFRESH_SECONDS
    assert read_version(review(warm)) == read_version(review(world.function())) == "2"
    print(f"killed at {len(seen)} moments, answered by versions {seen}")  # noqa: T201


def test_of_two_pushes_at_once_no_part_is_mixed_or_lost(world: World, tmp_path: Path) -> None:
    endpoint = world.faulty.endpoint
    folders = [write_next(tmp_path / tag, tag) for tag in ("2", "3")]
    warm = world.function()
    assert read_version(review(warm)) == "1"
    processes = [start(folder, endpoint) for folder in folders]
    for process in processes:
        process.join(timeout=120)
    codes = sorted(process.exitcode or 0 for process in processes)
    assert codes in ([0, 0], [0, 1]), codes
    world.now += REFRESH_SECONDS
    final = {read_version(review(warm)), read_version(review(world.function()))}
    assert final in ({"2"}, {"3"})
    history = world.ssm.get_parameter_history(Name=f"/podgraft/{INJECTOR}/policy")["Parameters"]
    documents = "".join(entry["Value"] for entry in history)
    assert all(f"t{tag}" in documents for tag in final)
    if codes == [0, 0]:
        assert all(f"t{tag}" in documents for tag in "23")  # the history has both
