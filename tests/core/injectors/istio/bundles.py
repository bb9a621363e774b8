"""Injectors for tests: of the sample, and of Istio's configuration in the corpus."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from podgraft.base.jsonvalue import object_at, string_at
from podgraft.core.injectors import istio
from podgraft.kube import yaml

SAMPLE = Path(__file__).parents[4] / "samples" / "istio" / "bundle"


def documents() -> istio.Documents:
    """The texts of the sample bundle."""
    texts: dict[str, str] = {}
    for path in SAMPLE.glob("*.yaml"):
        manifest = yaml.load(path.read_text(encoding="utf-8"))
        assert isinstance(manifest, dict)
        data = object_at(manifest, "data")
        texts |= {key: string_at(data, key) for key in data}
    return istio.Documents(config=texts["config"], values=texts["values"], mesh=texts["mesh"])


@cache
def sample(release: str | None = None, *, native: bool = False) -> istio.Injector:
    """The sample bundle's injector."""
    return istio.compile_(
        documents(),
        istio.IstiodEnvironment(release=release, native_sidecars=native, revision="default"),
    )


def template_injector(
    template: str, *, release: str = "1.30", values: str = "{}", mesh: str = ""
) -> istio.Injector:
    """An injector with one template, ``sidecar``."""
    lines = "".join(f"    {line}\n" for line in template.strip("\n").split("\n"))
    config = f"policy: enabled\ntemplates:\n  sidecar: |\n{lines}"
    around = istio.IstiodEnvironment(release=release)
    return istio.compile_(istio.Documents(config=config, values=values, mesh=mesh), around)


def legacy_injector(template: str, *, release: str = "1.8") -> istio.Injector:
    """An injector of the older layout."""
    config = yaml.dump({"policy": "enabled", "template": template})
    return istio.compile_(istio.Documents(config=config), istio.IstiodEnvironment(release=release))
