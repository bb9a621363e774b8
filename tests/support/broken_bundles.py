"""Bundles that load and break every pod, as found in practice, with their expected errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from podgraft.kube import yaml

SAMPLE = Path(__file__).parents[2] / "samples" / "istio" / "bundle"
POLICY = (SAMPLE.parent / "policy.yaml").read_text()

Files = Mapping[str, bytes]


@dataclass(frozen=True)
class BrokenBundle:
    """Files of a bundle, and a text of the error that each of them must have."""

    name: str
    files: Files
    location: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        return self.name


def sample(
    replaced: Mapping[str, str] | None = None, *, values: Callable[[Any], None] | None = None
) -> Files:
    """The sample of Istio, with other values, or with texts of its configuration replaced."""
    files = {path.name: path.read_bytes() for path in sorted(SAMPLE.glob("*.yaml"))}
    document: Any = yaml.load(files["injector.yaml"].decode())
    own: Any = yaml.load(document["data"]["values"])
    if values is not None:
        values(own)
    document["data"]["values"] = json.dumps(own)
    for old, new in (replaced or {}).items():
        assert old in document["data"]["config"]
        document["data"]["config"] = document["data"]["config"].replace(old, new, 1)
    return {**files, "injector.yaml": yaml.dump(document).encode()}


def overlay(template: str, resources: tuple[str, ...] = ("pods",), **more: Any) -> Files:
    """A bundle of one overlay; its values are an image."""
    rule = {
        "apiGroups": ["*"],
        "apiVersions": ["*"],
        "operations": ["CREATE"],
        "resources": [*resources],
    }
    spec: Any = {
        "matchConstraints": {"resourceRules": [rule], **more.pop("constraints", {})},
        "values": {"image": "registry.example.com/agent:1", "agent": {"port": 8126}},
        "template": template,
        **more,
    }
    document = {
        "apiVersion": "podgraft.dev/v1",
        "kind": "Overlay",
        "metadata": {"name": "agent"},
        "spec": spec,
    }
    return {"agent.yaml": json.dumps(document).encode()}


def container(image: str) -> str:
    """A template that adds a container."""
    return f"spec:\n  containers:\n  - name: agent\n    image: {image}\n"


def _without_hub(values: Any) -> None:
    del values["global"]["hub"]


def _misspelt_hub(values: Any) -> None:
    values["global"]["hubb"] = values["global"].pop("hub")


def _without_proxy(values: Any) -> None:
    del values["global"]["proxy"]


def _number(values: Any) -> None:
    values["global"]["proxy"]["resources"] = {"limits": {"cpu": 2}}


def _text(values: Any) -> None:
    values["global"]["proxy"]["privileged"] = "true"


def _empty_trust_domain() -> Files:
    files = dict(sample())
    name, document = next(
        (name, configuration)
        for name, content in files.items()
        if isinstance(configuration := yaml.load(content.decode()), dict)
        and "mesh" in (configuration.get("data") or {})  # pyright: ignore[reportOperatorIssue]
    )
    data: Any = document["data"]
    mesh: Any = yaml.load(data["mesh"])
    mesh["trustDomain"] = ""
    data["mesh"] = yaml.dump(mesh)
    return {**files, name: yaml.dump(document).encode()}


_HUB = "injector.yaml /data/values/global/hub"
_PROXY = "injector.yaml /data/values/global/proxy"

BROKEN = (
    BrokenBundle("no hub", sample(values=_without_hub), _HUB, '"/proxyv2:1.30.3"', "set it to"),
    BrokenBundle(
        "misspelt hub", sample(values=_misspelt_hub), _HUB, "is missing", "rename hubb to hub"
    ),
    BrokenBundle(
        "no global.proxy",
        sample(values=_without_proxy),
        "injector.yaml /data/config/templates/sidecar",
        "fails for every probe pod",
        "the values that it reads",
    ),
    BrokenBundle(
        "misspelt value",
        overlay(container("{{ .Values.imge }}")),
        "agent.yaml /spec/template",
        "line 4: .Values.imge: .Values has no field imge",
        "rename it to image",
    ),
    BrokenBundle(
        "misspelt field",
        overlay(container("{{ .Objct.x }}")),
        "agent.yaml /spec/template",
        "line 4: .Objct: overlay.Data has no field Objct",
        "rename it to Object",
    ),
    BrokenBundle(
        "misspelt key",
        sample({"policy: enabled": "polcy: enabled"}),
        "injector.yaml /data/config/polcy",
        "unknown key",
        "did you mean policy?",
    ),
    BrokenBundle(
        "tab",
        overlay("spec:\n  containers:\n\t- name: agent\n    image: a\n"),
        "agent.yaml /spec/template",
        "line 3",
        "replace the tab in line 3 of the template with spaces",
    ),
    BrokenBundle(
        "number for text",
        sample(values=_number),
        f"{_PROXY}/resources/limits/cpu",
        "expected a string, got a number",
        "in quotes",
    ),
    BrokenBundle(
        "text for bool",
        sample(values=_text),
        f"{_PROXY}/privileged",
        "expected true or false, got a string",
        "without quotes",
    ),
    BrokenBundle(
        "empty trust domain",
        _empty_trust_domain(),
        "/data/mesh/trustDomain",
        "must not be empty",
        "cluster.local",
    ),
)
