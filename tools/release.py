#!/usr/bin/env python3
"""Build a release: all files that podgraft publishes, and the evidence about them.

    release.py [--tag vVERSION] [--target RUNTIME-ARCHITECTURE ...] [--output FOLDER]
               [--without-playground]

Builds the wheel with the playground, the source archive, the Helm chart, the man pages, the
functions, and the archives of the layers from the commit of the working tree. Two builds of a
commit with the same Python are identical. Next to each file is its SBOM. The provenance, the
checksums, and the release notes describe all of them.
"""

import argparse
import shutil
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from supply_chain.builds import BuildError
from supply_chain.changelog import ChangelogError
from supply_chain.licenses import LicenseError
from supply_chain.packages import PackageError
from supply_chain.release_files import Settings, build_release
from supply_chain.target import TARGETS, Target

ROOT = Path(__file__).parents[1]
_CHECKSUMS = "SHA256SUMS"


def main(argv: Sequence[str] | None = None) -> int:
    """Write the release; return the exit status."""
    options = _parse_arguments(argv)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    settings = Settings(
        root=ROOT,
        version=project["version"],
        tag=options.tag,
        targets=tuple(options.target or TARGETS),
        source=options.source,
        builder=options.builder,
        has_playground=not options.without_playground,
    )
    output: Path = options.output
    try:
        _check_output(output)
        with TemporaryDirectory() as folder:
            files = build_release(settings, Path(folder))
    except (BuildError, ChangelogError, LicenseError, PackageError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    _write_files(files, output)
    for name, content in files.items():
        print(f"{output / name}: {len(content):,} bytes")
    return 0


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("release.py", description="Build a release.")
    parser.add_argument("--tag", default="", help="Tag of the release: v and the version.")
    parser.add_argument(
        "--target",
        nargs="*",
        type=_parse_target,
        metavar="TARGET",
        help="Lambdas to build layers for, such as python3.13-arm64; default: all.",
    )
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="Folder to replace.")
    parser.add_argument(
        "--source", default="https://podgraft.dev/podgraft.git", help="Address of the repository."
    )
    parser.add_argument(
        "--builder", default="https://podgraft.dev/builders/make", help="Identifier of the builder."
    )
    parser.add_argument(
        "--without-playground",
        action="store_true",
        help="Build a wheel without the page of podgraft playground, which needs npm.",
    )
    return parser.parse_args(argv)


def _parse_target(text: str) -> Target:
    by_name = {str(target): target for target in TARGETS}
    if text not in by_name:
        raise argparse.ArgumentTypeError(f"got {text!r}; use some of {', '.join(by_name)}")
    return by_name[text]


def _check_output(output: Path) -> None:
    is_release = (output / _CHECKSUMS).exists()
    if output.exists() and not is_release and any(output.iterdir()):
        raise BuildError(f"{output}: is not a release; use an empty folder")


def _write_files(files: dict[str, bytes], output: Path) -> None:
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    for name, content in files.items():
        (output / name).write_bytes(content)


if __name__ == "__main__":
    sys.exit(main())
