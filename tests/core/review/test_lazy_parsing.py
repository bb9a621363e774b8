"""A cold start parses no template before a review uses it, and yet no pod is injected by half."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

import pytest

from podgraft.base.jsonvalue import Object
from podgraft.core import review
from podgraft.core.injectors.errors import OperatorError
from podgraft.core.review.results import ReviewFailure, ReviewResponse
from podgraft.core.review_context import ReviewContext
from podgraft.core.versions.errors import NotLoadedError
from podgraft.core.versions.snapshot import Store
from podgraft.kube import admission
from podgraft.service.store.folder import FolderStore
from support.memory_store import MemoryStore, cached_store
from support.recorded_requests import load_request
from support.store_fixture import BUNDLE, CONFIG, write_injector

SPARE = "      spare: |\n        {{ .Nonsense \n"
BROKEN = CONFIG.replace("      sidecar: |\n", f"{SPARE}      sidecar: |\n")
UNUSABLE = CONFIG.replace("{{ .DeploymentMeta.Name }}", "{{ .DeploymentMeta.Name ")


class StoreWriter(Protocol):
    """A store, and a way to keep another bundle in it."""

    store: Store

    def write_files(self, files: Mapping[str, bytes]) -> None: ...


class Folder:
    """A folder as store."""

    def __init__(self, folder: Path, *, deferred: bool) -> None:
        self._folder = folder
        self.store = FolderStore(folder, deferred=deferred)

    def write_files(self, files: Mapping[str, bytes]) -> None:
        write_injector(self._folder, files=files)


class Cloud:
    """A store in AWS, replaced by memory."""

    def __init__(self, folder: Path, *, deferred: bool) -> None:
        del folder
        self._memory = MemoryStore()
        self.store = cached_store(self._memory, 0, deferred=deferred)

    def write_files(self, files: Mapping[str, bytes]) -> None:
        self._memory.put("default", f"bundle: {self._memory.upload(files)}")


Open = Callable[..., StoreWriter]
KEEPERS = pytest.mark.parametrize("kind", [Folder, Cloud])


def files(config: str) -> dict[str, bytes]:
    return {**BUNDLE, "injector.yaml": config.encode()}


def inject_pod(store: Store, templates: str | None = None) -> ReviewResponse | ReviewFailure:
    """Return the outcome for a pod, which can select templates."""
    sent = load_request("03-kubectl-run")
    if templates is not None:
        annotations: Object = {"inject.istio.io/templates": templates}
        sent = sent.with_value("request", "object", "metadata", "annotations", value=annotations)
    outcome = review.inject(
        ReviewContext(injector="default").with_request(admission.decode(sent.body)), store
    )
    assert isinstance(outcome, ReviewResponse | ReviewFailure)
    return outcome


@KEEPERS
def test_an_unused_broken_template_affects_no_pod(kind: Open, tmp_path: Path) -> None:
    world = kind(tmp_path, deferred=True)
    world.write_files(files(BROKEN))
    answered = inject_pod(world.store)
    assert answered.record.decision == "inject"


@KEEPERS
@pytest.mark.parametrize("asked", ["spare", "sidecar,spare"])
def test_a_broken_template_fails_the_pods_that_use_it(
    kind: Open, asked: str, tmp_path: Path
) -> None:
    world = kind(tmp_path, deferred=True)
    world.write_files(files(BROKEN))
    failed = inject_pod(world.store, asked)
    assert isinstance(failed, ReviewFailure)
    assert isinstance(failed.error, OperatorError)
    assert "template: spare:2: unclosed action" in str(failed.error)


@KEEPERS
def test_a_broken_default_template_fails_every_pod(kind: Open, tmp_path: Path) -> None:
    world = kind(tmp_path, deferred=True)
    world.write_files(files(UNUSABLE))
    for _ in range(2):
        failed = inject_pod(world.store)
        assert isinstance(failed, ReviewFailure)
        assert isinstance(failed.error, OperatorError)


@KEEPERS
def test_a_new_bundle_is_parsed_before_it_is_activated(kind: Open, tmp_path: Path) -> None:
    world = kind(tmp_path, deferred=True)
    world.write_files(BUNDLE)
    before = world.store.snapshot("default", None)
    world.write_files(files(BROKEN))
    after = world.store.snapshot("default", None)
    assert after.bundle is before.bundle
    assert after.stale is not None
    assert "spare" in after.stale.reason
    assert inject_pod(world.store).record.decision == "inject"


@KEEPERS
def test_without_deferring_a_broken_template_does_not_load(kind: Open, tmp_path: Path) -> None:
    world = kind(tmp_path, deferred=False)
    world.write_files(files(BROKEN))
    with pytest.raises(NotLoadedError, match="/data/config/templates/spare"):
        world.store.snapshot("default", None)
