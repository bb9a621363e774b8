"""All files of a release by name, with their SBOMs, checksums, provenance, and notes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from make_archives import FUNCTIONS, make_zip, read_function

from .archives import digest, make_tarball
from .builds import (
    BuildError,
    Commit,
    build_dependencies,
    build_engine,
    build_playground,
    build_python_packages,
    check_python,
    extract_commit,
    find_tag_commit,
    read_commit,
)
from .changelog import UNRELEASED, extract_section
from .locks import LOCKS
from .packages import Package, read_environment
from .pins import read_dependencies
from .provenance import Build, render_provenance
from .sbom import Artifact, render_sbom
from .target import Target, describe_builder


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What to release. An empty *tag* builds a snapshot with the unreleased changes."""

    root: Path
    version: str
    tag: str
    targets: Sequence[Target]
    source: str
    builder: str
    has_playground: bool = True


@dataclass(slots=True)
class _Release:
    """The files that exist so far, and the packages in them."""

    settings: Settings
    commit: Commit
    files: dict[str, bytes]
    packages: list[Package]

    def add(
        self,
        name: str,
        content: bytes,
        packages: Sequence[Package] = (),
        *,
        parts: dict[str, bytes] | None = None,
        **properties: str,
    ) -> None:
        """Add a file and its SBOM; *parts* are files inside of it without a package."""
        artifact = Artifact(
            name=name,
            version=self.settings.version,
            sha256=digest(content),
            packages=packages,
            files={part: digest(text) for part, text in (parts or {}).items()},
            properties={"commit": self.commit.id, **properties},
        )
        self.files[name] = content
        self.files[f"{name}.cdx.json"] = render_sbom(artifact, self.commit.time).encode()
        self.packages.extend(packages)


def build_release(settings: Settings, folder: Path) -> dict[str, bytes]:
    """The files by name; *folder* is for intermediate files.

    Raises ``BuildError``, ``ChangelogError``, ``LicenseError``, and ``PackageError``.
    """
    commit = read_commit(settings.root)
    _check_tag(settings, commit)
    for target in settings.targets:
        check_python(target)
    root = folder / "source"
    extract_commit(settings.root, commit, root)
    section = settings.version if settings.tag else UNRELEASED
    notes = extract_section((root / "CHANGELOG.md").read_text(), section)
    release = _Release(settings, commit, {}, [])
    if settings.has_playground:
        build_playground(root, settings.root / ".tools" / "playground")
    _add_python_packages(release, root, folder)
    _add_folders(release, root)
    _add_functions(release, root)
    _add_layers(release, root, folder)
    release.files["RELEASE_NOTES.md"] = notes.encode()
    _add_provenance(release, root)
    sums = (f"{digest(content)}  {name}\n" for name, content in sorted(release.files.items()))
    release.files["SHA256SUMS"] = "".join(sums).encode()
    return release.files


def _check_tag(settings: Settings, commit: Commit) -> None:
    if not settings.tag:
        return
    if settings.tag != f"v{settings.version}":
        raise BuildError(
            f"tag: got {settings.tag!r}; use v{settings.version}, the version of pyproject.toml"
        )
    if find_tag_commit(settings.root, settings.tag) != commit.id:
        raise BuildError(f"tag {settings.tag}: is not the commit of the working tree; check it out")


def _add_python_packages(release: _Release, root: Path, folder: Path) -> None:
    """The packages that a user installs with podgraft[all], in the versions of the tests."""
    packages = read_environment(read_dependencies(root, ("all",)))
    for name, content in build_python_packages(root, release.commit, folder).items():
        release.add(name, content, packages, contains="podgraft; its dependencies are not included")


def _add_folders(release: _Release, root: Path) -> None:
    """The Helm chart, and the man pages and completion scripts."""
    prefix = f"podgraft-{release.settings.version}"
    chart = make_tarball(root / "deploy" / "charts" / "podgraft", "podgraft")
    release.add(f"{prefix}-chart.tgz", chart, contains="the Helm chart")
    pages = make_tarball(root / "packaging", prefix)
    release.add(f"{prefix}-man.tar.gz", pages, contains="man pages and completion scripts")


def _add_functions(release: _Release, root: Path) -> None:
    for name in FUNCTIONS:
        parts = read_function(root, name)
        archive = f"podgraft-{release.settings.version}-{name}.zip"
        release.add(archive, make_zip(parts), parts=parts)


def _add_layers(release: _Release, root: Path, folder: Path) -> None:
    prefix = f"podgraft-{release.settings.version}"
    for target in release.settings.targets:
        content, packages = build_dependencies(root, target, folder)
        name = f"{prefix}-dependencies-{target}.zip"
        release.add(name, content, packages, target=str(target))
        engine = f"{prefix}-engine-{target.runtime}.zip"
        if engine not in release.files:
            release.add(engine, build_engine(root, target, folder), runtime=target.runtime)


def _add_provenance(release: _Release, root: Path) -> None:
    settings = release.settings
    build = Build(
        source=settings.source,
        commit=release.commit.id,
        builder=settings.builder,
        parameters={
            "tag": settings.tag,
            "targets": [str(target) for target in settings.targets],
            "playground": settings.has_playground,
        },
        tools=describe_builder(),
        locks={lock.path: digest((root / lock.path).read_bytes()) for lock in LOCKS},
    )
    subjects = {name: digest(content) for name, content in release.files.items()}
    text = render_provenance(build, subjects, release.packages)
    release.files["provenance.json"] = text.encode()
