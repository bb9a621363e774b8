"""The cases of a test file: each test, for each of its clusters and releases."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import fields, replace

from podgraft.cli.configuration import CallerOptions

from .document import PolicyTest, PolicyTestFile, Settings


class Case(Struct, frozen=True, kw_only=True):
    """One test for one calling cluster and one release; ``settings`` are complete."""

    path: Path
    test: PolicyTest
    settings: Settings
    cluster: str | None = None
    release: str | None = None

    @property
    def name(self) -> str:
        """The name of the test, with the cluster and the release if the test sets them."""
        values = (("cluster", self.cluster), ("release", self.release))
        variant = ", ".join(f"{key} {value}" for key, value in values if value is not None)
        return f"{self.test.name} [{variant}]" if variant else self.test.name

    @property
    def id(self) -> str:
        """The file and the name, which filters match."""
        return f"{self.path}: {self.name}"

    @property
    def options(self) -> CallerOptions:
        """The caller of the review, as the options of a command."""
        env: Mapping[str, str] = self.settings.env or {}
        return CallerOptions(
            cluster=self.cluster,
            istio_cluster_id=self.settings.istio_cluster_id,
            network=self.settings.network,
            env=tuple(f"{name}={value}" for name, value in env.items()),
        )

    def resolve_path(self, file: str) -> Path:
        """The path of a file; ``{cluster}`` and ``{release}`` are replaced."""
        name = file.replace("{cluster}", self.cluster or "").replace(
            "{release}", self.release or ""
        )
        return self.path.parent / name


def make_cases(document: PolicyTestFile, releases: tuple[str, ...] = ()) -> Iterator[Case]:
    """Make the cases of a document; *releases* replace those of the tests."""
    for test in document.tests:
        settings = _complete(test.settings, document.settings)
        for cluster in settings.clusters or (None,):
            for release in releases or settings.releases or (None,):
                yield Case(
                    path=document.path,
                    test=test,
                    settings=settings,
                    cluster=cluster,
                    release=release,
                )


def _complete(settings: Settings, defaults: Settings) -> Settings:
    """The settings of a test; the file sets those that the test does not set."""
    unset = {
        each.name: getattr(defaults, each.name)
        for each in fields(Settings)
        if getattr(settings, each.name) is None
    }
    return replace(settings, **unset)
