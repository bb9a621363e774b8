"""What pyproject.toml cannot state: the files of the wheel outside the package, and its readme.

The wheel contains the files of deployments and the samples in ``podgraft/assets``
(``podgraft.cli.assets``), and man pages and completions below ``share``. A build leaves no file in
the source tree.
"""

import atexit
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import mkdtemp

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
SITE = "https://podgraft.dev/"
# Files and folders of the repository; podgraft/assets has the same layout.
ASSETS = (
    "LICENSE",
    "deploy/charts",
    "deploy/container",
    "deploy/kubernetes",
    "deploy/terraform",
    "functions/cleanup",
    "functions/guard",
    "functions/probe",
    "functions/watch",
    "functions/webhook",
    "layers/Makefile",
    "layers/build_layer.py",
    "layers/dependencies",
    "layers/make_archives.py",
    "packaging/init",
    "packaging/requirements/serve.txt",
    "samconfig.toml",
    "samples",
    "template.yaml",
)
# Built by make release, and by make playground. A source archive cannot contain the folder build.
PLAYGROUNDS = ("playground/site", "build/playground")
_SHARE = {
    "share/man/man1": "packaging/man/*.1",
    "share/bash-completion/completions": "packaging/completion/podgraft",
    "share/zsh/site-functions": "packaging/completion/_podgraft",
    "share/fish/vendor_completions.d": "packaging/completion/podgraft.fish",
}
# A link or an image of README.md that is relative to the repository.
_LINK = re.compile(r"\]\((?!https?://|#)([^)\s]+)\)")
_PAGE = re.compile(r"(?:docs/)?(.+)\.md(#.*)?")


class BuildWithAssets(build_py):
    """Copies the assets into the wheel; an editable installation uses those of the source tree."""

    def run(self) -> None:
        """Copy the package, then its assets."""
        super().run()
        if self.editable_mode:
            return
        target = Path(self.build_lib) / "podgraft" / "assets"
        assets = {ROOT / path: target / path for path in ASSETS}
        pages = [path for path in PLAYGROUNDS if (ROOT / path / "index.html").is_file()]
        for page in pages[:1]:
            assets[ROOT / page] = target / "playground"
        for source, path in assets.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                ignore = shutil.ignore_patterns("__pycache__", ".terraform*")
                shutil.copytree(source, path, ignore=ignore, dirs_exist_ok=True)
            else:
                shutil.copyfile(source, path)


def make_readme() -> str:
    """README.md with links to the site, because an index of packages has no other files."""
    return _LINK.sub(
        lambda match: f"]({_site_address(match[1])})", (ROOT / "README.md").read_text()
    )


def _site_address(target: str) -> str:
    page = _PAGE.fullmatch(target)
    if page is None:
        return SITE + target.removeprefix("docs/")
    name = {"SECURITY": "reporting"}.get(page[1], page[1])
    return f"{SITE}{name.removesuffix('README')}".rstrip("/") + "/" + (page[2] or "")


def _find_share_files() -> list[tuple[str, Sequence[str]]]:
    return [
        (folder, sorted(str(path.relative_to(ROOT)) for path in ROOT.glob(pattern)))
        for folder, pattern in _SHARE.items()
    ]


def _temporary_folders() -> dict[str, dict[str, str]]:
    """Settings that keep the files of a build out of the source tree, except for an sdist."""
    if "sdist" in sys.argv:
        return {}
    folder = mkdtemp(prefix="podgraft-build-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return {"build": {"build_base": folder}, "egg_info": {"egg_base": folder}}


setup(
    cmdclass={"build_py": BuildWithAssets},
    data_files=_find_share_files(),
    long_description=make_readme(),
    long_description_content_type="text/markdown",
    options=_temporary_folders(),
)
