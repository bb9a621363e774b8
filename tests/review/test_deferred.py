"""A cold start parses no template before a review uses it, and yet no pod is injected by half."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

import pytest

from events.kept import BUNDLE, CONFIG, keep
from events.recorded import recorded
from podgraft import admission, review
from podgraft.injection import OperatorError
from podgraft.jsonvalue import Object
from podgraft.review import Answered, Caller, Failed
from podgraft.store import DirectoryStore, NotLoadedError, Store
from podgraft.store.cached import CachedStore
from web.memory import Memory

SPARE = "      spare: |\n        {{ .Nonsense \n"
BROKEN = CONFIG.replace("      sidecar: |\n", f"{SPARE}      sidecar: |\n")
UNUSABLE = CONFIG.replace("{{ .DeploymentMeta.Name }}", "{{ .DeploymentMeta.Name ")


class Keeper(Protocol):
    """A store, and a way to keep another bundle in it."""

    store: Store

    def keep(self, files: Mapping[str, bytes]) -> None: ...


class Folder:
    """A folder as store."""

    def __init__(self, folder: Path, *, deferred: bool) -> None:
        self._folder = folder
        self.store = DirectoryStore(folder, deferred=deferred)

    def keep(self, files: Mapping[str, bytes]) -> None:
        keep(self._folder, files=files)


class Cloud:
    """What stands for AWS."""

    def __init__(self, folder: Path, *, deferred: bool) -> None:
        del folder
        self._memory = Memory()
        self.store = CachedStore(self._memory, self._memory, 0, deferred=deferred)

    def keep(self, files: Mapping[str, bytes]) -> None:
        self._memory.put("default", f"bundle: {self._memory.upload(files)}")


Open = Callable[..., Keeper]
KEEPERS = pytest.mark.parametrize("kind", [Folder, Cloud])


def files(config: str) -> dict[str, bytes]:
    return {**BUNDLE, "injector.yaml": config.encode()}


def injected(store: Store, templates: str | None = None) -> Answered | Failed:
    """What becomes of a pod, which may ask for templates."""
    sent = recorded("03-kubectl-run")
    if templates is not None:
        annotations: Object = {"inject.istio.io/templates": templates}
        sent = sent.edited("request", "object", "metadata", "annotations", value=annotations)
    outcome = review.inject(admission.decode(sent.body), store, Caller(injector="default"))
    assert isinstance(outcome, Answered | Failed)
    return outcome


@KEEPERS
def test_a_broken_template_that_nobody_uses_stops_no_pod(kind: Open, tmp_path: Path) -> None:
    world = kind(tmp_path, deferred=True)
    world.keep(files(BROKEN))
    answered = injected(world.store)
    assert answered.facts.decision == "inject"


@KEEPERS
@pytest.mark.parametrize("asked", ["spare", "sidecar,spare"])
def test_a_broken_template_fails_the_pods_that_use_it(
    kind: Open, asked: str, tmp_path: Path
) -> None:
    world = kind(tmp_path, deferred=True)
    world.keep(files(BROKEN))
    failed = injected(world.store, asked)
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, OperatorError)
    assert "template: spare:2: unclosed action" in str(failed.error)


@KEEPERS
def test_a_broken_default_template_fails_every_pod(kind: Open, tmp_path: Path) -> None:
    world = kind(tmp_path, deferred=True)
    world.keep(files(UNUSABLE))
    for _ in range(2):
        failed = injected(world.store)
        assert isinstance(failed, Failed)
        assert isinstance(failed.error, OperatorError)


@KEEPERS
def test_what_replaces_a_bundle_is_parsed_before_it_is_in_force(kind: Open, tmp_path: Path) -> None:
    world = kind(tmp_path, deferred=True)
    world.keep(BUNDLE)
    before = world.store.snapshot("default", None)
    world.keep(files(BROKEN))
    after = world.store.snapshot("default", None)
    assert after.bundle is before.bundle
    assert after.stale is not None
    assert "spare" in after.stale.why
    assert injected(world.store).facts.decision == "inject"


@KEEPERS
def test_without_deferring_nothing_broken_loads(kind: Open, tmp_path: Path) -> None:
    world = kind(tmp_path, deferred=False)
    world.keep(files(BROKEN))
    with pytest.raises(NotLoadedError, match="/data/config/templates/spare"):
        world.store.snapshot("default", None)
