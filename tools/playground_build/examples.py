"""The examples of the page: each sample of the repository, and each recipe of the playground."""

from pathlib import Path
from typing import Any


def read_examples(root: Path) -> dict[str, Any]:
    """The examples by name; the sample istio is the first."""
    folders = [
        *sorted(path.parent for path in (root / "samples").glob("*/policy.yaml")),
        *sorted(path.parent for path in (root / "playground" / "recipes").glob("*/policy.yaml")),
    ]
    folders.sort(key=lambda folder: folder.name != "istio")
    return {folder.name: _read_example(folder) for folder in folders}


def _read_example(folder: Path) -> dict[str, Any]:
    title, _, description = (folder / "README.md").read_text().partition("\n")
    bundle = folder / "bundle"
    example: dict[str, Any] = {
        "title": title.removeprefix("# "),
        "description": " ".join(description.replace("`", "").split()),
        "pods": {
            path.name.removeprefix("input.").removesuffix(".yaml"): path.read_text()
            for path in sorted(folder.glob("input.*.yaml"), key=_by_interest)
        },
        "files": {
            path.relative_to(bundle).as_posix(): path.read_text()
            for path in sorted(bundle.rglob("*.yaml"))
        },
        "policy": (folder / "policy.yaml").read_text(),
        "webhooks": "",
        "options": {},
    }
    disabled = folder / "policy.disabled.yaml"
    if disabled.exists():
        example["matrix"] = {"enabled": example["policy"], "disabled": disabled.read_text()}
    return example


def _by_interest(path: Path) -> tuple[bool, str]:
    """The input that shows the most first; each sample that has several calls it ``web``."""
    return path.name != "input.web.yaml", path.name
