"""The examples of the page: each sample of the repository, and each recipe of the playground."""

from pathlib import Path
from typing import Any

_ISTIO = {"istio", "selective-injection"}
_VALIDATION = {"allow", "native-sidecar-guard", "require-limits"}
_GROUPS = ("Istio", "Other sidecars", "Validation")
# Names that are not the words of the folder.
_TITLES = {
    "appmesh": "App Mesh",
    "datadog-env": "Datadog",
    "eks-pod-identity": "EKS pod identity",
    "istio": "Istio sidecar",
    "opentelemetry": "OpenTelemetry",
    "opentelemetry-agents": "OpenTelemetry agents",
}


def read_examples(root: Path) -> dict[str, Any]:
    """The examples by name, in the order of the page; the sample istio is the first."""
    folders = [
        *sorted(path.parent for path in (root / "samples").glob("*/policy.yaml")),
        *sorted(path.parent for path in (root / "playground" / "recipes").glob("*/policy.yaml")),
    ]
    folders.sort(key=lambda folder: (_GROUPS.index(_group(folder.name)), folder.name != "istio"))
    return {folder.name: _read_example(folder) for folder in folders}


def _group(name: str) -> str:
    if name in _ISTIO:
        return "Istio"
    return "Validation" if name in _VALIDATION else "Other sidecars"


def _read_example(folder: Path) -> dict[str, Any]:
    words = folder.name.replace("-", " ")
    is_sample = folder.parent.name == "samples"
    bundle = folder / "bundle"
    example: dict[str, Any] = {
        "title": _TITLES.get(folder.name, words[:1].upper() + words[1:]),
        "group": _group(folder.name),
        "page": f"samples/{folder.name}/" if is_sample else "selective-injection/",
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
