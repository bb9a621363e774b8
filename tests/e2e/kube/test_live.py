"""Scenes before kube-apiserver's own admission plugins: ``make e2e-kube`` builds and runs them.

``tools/e2e_kube.py --record`` writes what was said to recorded/, for test_replay.py.
"""

import os
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path

import pytest

from e2e.kube import recordings
from e2e.kube.apiserver import Answer, find_startup_error, run_scenario
from e2e.kube.cluster import ClusterFixture
from e2e.kube.scenarios import AFTER, SCENES, ClusterScenario, PresentedCredentials, Server
from podgraft.cli.register.static import SUFFIX

PROGRAM = "PODGRAFT_KUBE_ADMISSION"
FAILED_OPEN = "failed-open.mutation.webhook.admission.k8s.io/"


@pytest.fixture(scope="module")
def program() -> Path:
    """The API server's admission chain, as tools/e2e_kube.py has built it."""
    if PROGRAM not in os.environ:
        pytest.skip("needs Go and its module proxy: make e2e-kube")
    return Path(os.environ[PROGRAM])


@pytest.fixture(scope="module")
def world(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[ClusterFixture]:
    """One set of certificates and servers for all scenes."""
    del program  # without it nothing need be started
    with ExitStack() as stack:
        yield ClusterFixture(tmp_path_factory.mktemp("world"), stack)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_scene(scene: ClusterScenario, program: Path, world: ClusterFixture) -> None:
    answer = recordings.normalize_answer(run_scenario(program, world.scenario(scene)), world.token)
    told = answer.get("kubectl", "")
    assert scene.refused in told
    assert bool(scene.refused) is ("object" not in answer), told
    assert len(answer.get("calls", [])) == scene.calls
    assert any(key.startswith(FAILED_OPEN) for key in answer.get("audit", {})) is scene.failed_open
    if not scene.refused:
        assert tuple(_containers(answer)) == scene.containers
    if "PODGRAFT_RECORD" in os.environ:
        recordings.write(scene.name, answer)
    # The message of a timeout depends on the step that exceeds it.
    assert scene.server is Server.SILENT or answer == recordings.read_recording(scene.name)


# A static registration shows its credentials by the AdmissionConfiguration, and names no Service.
STATIC = [
    scene
    for scene in SCENES
    if scene.credentials is not PresentedCredentials.NOTHING and not scene.service
]


@pytest.mark.parametrize("scene", STATIC, ids=lambda scene: scene.name)
def test_static_manifests(scene: ClusterScenario, program: Path, world: ClusterFixture) -> None:
    """The same result without an object in the API, which nobody could delete."""
    answer = run_scenario(program, world.static_scenario(scene))
    assert scene.refused in answer.get("kubectl", "")
    assert bool(scene.refused) is ("object" not in answer), answer.get("kubectl")
    assert len(answer.get("calls", [])) == scene.calls
    if not scene.refused:
        assert tuple(_containers(answer)) == scene.containers


BROKEN = (
    ("a name without the suffix", SUFFIX, "", "must have a name ending with"),
    ("a service", "    url: ", "    service: {name: a, namespace: b}\n    url: ", "service"),
    ("an unknown field", "  sideEffects: None", "  sideEffect: None", "unknown field"),
)


@pytest.mark.parametrize(("what", "old", "new", "error"), BROKEN, ids=lambda value: str(value)[:30])
def test_the_api_server_does_not_start_with_a_broken_manifest(
    what: str, old: str, new: str, error: str, program: Path, world: ClusterFixture
) -> None:
    """The rules that ``register --static`` guarantees are those of the real loader."""
    scene = ClusterScenario(name=what, replace=((old, new),))
    assert error in find_startup_error(program, world.static_scenario(scene))


def test_the_api_server_does_not_start_with_a_duplicate_name(
    program: Path, world: ClusterFixture
) -> None:
    scenario = world.static_scenario(ClusterScenario(name="duplicate"))
    folder = world.static_folder("duplicate") / "mutating-webhooks"
    (file,) = folder.glob("*.yaml")
    file.with_name("copy.yaml").write_text(file.read_text())
    assert "duplicate name" in find_startup_error(program, scenario)


def test_a_reinvocation_changes_nothing(program: Path, world: ClusterFixture) -> None:
    """After the other injector, ours is called again and returns no patch."""
    (scene,) = (scene for scene in SCENES if scene.name == "reinvocation")
    calls = run_scenario(program, world.scenario(scene))["calls"]
    injectors = [call["url"].split("/inject")[0].rsplit("/", 1)[-1] for call in calls]
    assert injectors == [world.token, "logging", world.token]
    responses = [call["response"]["response"] for call in calls]
    assert ["patch" in response for response in responses] == [True, True, False]


def test_dry_run_is_reported(program: Path, world: ClusterFixture) -> None:
    (scene,) = (scene for scene in SCENES if scene.name == "dry run")
    (call,) = run_scenario(program, world.scenario(scene))["calls"]
    assert call["request"]["request"]["dryRun"] is True
    assert tuple(_containers(run_scenario(program, world.scenario(scene)))) == AFTER


def _containers(answer: Answer) -> list[str]:
    return [container["name"] for container in answer["object"]["spec"]["containers"]]
