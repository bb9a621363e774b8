"""Policies and bundles in memory instead of AWS, for CachedStore; tests change and break them."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from podgraft.core import bundle
from podgraft.core.versions.errors import UnavailableError
from podgraft.service.store.aws.callers import CachedCallers
from podgraft.service.store.aws.client import RetryBudget
from podgraft.service.store.aws.ssm import MissingPolicyError, Parameter
from podgraft.service.store.aws.store import CachedStore
from support.store_fixture import BUNDLE


def labelled_bundle(label: str) -> Mapping[str, bytes]:
    """The bundle of the other tests, its proxy's image tagged *label*."""
    changed = BUNDLE["injector.yaml"].replace(b"{{ .Values.global.tag }}", label.encode())
    return {**BUNDLE, "injector.yaml": changed}


class MemoryStore:
    """It responds as ``ParameterReader`` and ``BundleReader`` do."""

    def __init__(self) -> None:
        self.reachable = True
        self.denied = ""  # the text of the deny list
        self.brakes: tuple[str, ...] = ()  # the texts of the existing brakes
        self.requests: list[str] = []
        self._policies: dict[str, list[Parameter]] = {}
        self._bundles: dict[str, Mapping[str, bytes]] = {}

    def put(self, injector: str, text: str) -> str:
        """Put a new version of a policy in force; its number."""
        versions = self._policies.setdefault(injector, [])
        name = f"/podgraft/{injector}/policy"
        versions.append(Parameter(text, str(len(versions) + 1), None, name))
        return versions[-1].version

    def delete(self, injector: str) -> None:
        """Delete a policy with its versions."""
        del self._policies[injector]

    def upload(self, files: Mapping[str, bytes]) -> str:
        """Keep a bundle; its digest."""
        digest = bundle.digest(files)
        self._bundles[digest] = files
        return digest

    def policy(self, injector: str, patience: RetryBudget) -> Parameter:
        """The version in force."""
        del patience
        if not self.reachable:
            raise UnavailableError("out of reach on purpose")
        self.requests.append("policy")
        if injector not in self._policies:
            raise MissingPolicyError("not found", self.denied)
        return replace(self._policies[injector][-1], denied=self.denied, brakes=self.brakes)

    def policy_versions(
        self, injector: str, versions: Sequence[int], patience: RetryBudget
    ) -> tuple[Parameter, ...]:
        """Earlier versions."""
        del patience
        stored = self._policies[injector]
        return tuple(stored[number - 1] for number in versions)

    def injectors(self, patience: RetryBudget) -> tuple[str, ...]:
        """The injectors with a policy."""
        del patience
        if not self.reachable:
            raise UnavailableError("out of reach on purpose")
        return tuple(self._policies)

    def files(
        self, injector: str, digest: str | None, patience: RetryBudget
    ) -> Mapping[str, bytes]:
        """The bundle of a digest."""
        del injector, patience
        self.requests.append("bundle")
        return self._bundles[digest or ""]


def cached_store(memory: Any, *arguments: Any, **options: Any) -> CachedStore:
    """The store over *memory*, which has the methods of both readers that a test needs."""
    return CachedStore(memory, memory, *arguments, **options)


def cached_callers(source: Any, *arguments: Any, **options: Any) -> CachedCallers:
    """The callers over *source*, which has the method ``callers``."""
    return CachedCallers(source, *arguments, **options)
