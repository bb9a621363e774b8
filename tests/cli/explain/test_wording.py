"""Each step of ``explain`` states an observation that a first reader cannot take for another."""

import json
from pathlib import Path
from typing import Any

import pytest

from podgraft import cli
from podgraft.base.jsonvalue import Object, objects_at
from support.config_folder import write_folder

SAMPLES = Path(__file__).parents[3] / "samples"
INPUTS = sorted(
    path.relative_to(SAMPLES)
    for path in SAMPLES.glob("*/input.*.yaml")
    if (path.parent / "policy.yaml").exists()
)
Out = pytest.CaptureFixture[str]


def explain(path: Path, output: str, capsys: Out, *more: str) -> str:
    """The output for an input of a sample."""
    folder = SAMPLES / path.parent
    configuration = ("--config", str(folder))
    cli.main(["explain", "-f", str(SAMPLES / path), *configuration, "-o", output, *more])
    return capsys.readouterr().out


def read_traces(path: Path, capsys: Out) -> list[Object]:
    traces: Any = json.loads(explain(path, "json", capsys))
    return [*traces] if isinstance(traces, list) else [traces]


@pytest.mark.parametrize("path", INPUTS, ids=str)
def test_no_step_is_a_bare_value(path: Path, capsys: Out) -> None:
    for trace in read_traces(path, capsys):
        for stage in objects_at(trace, "stages"):
            for step in objects_at(stage, "steps"):
                observed = str(step["observed"])
                if step["name"] == "ignoredNamespaces":
                    assert observed.endswith(
                        ("is in ignoredNamespaces", "is not in ignoredNamespaces")
                    )
                assert "does not match: resourceRules: " not in observed
                assert "none given" not in observed


@pytest.mark.parametrize("path", INPUTS, ids=str)
def test_the_conclusion_names_a_step_that_explains_it(path: Path, capsys: Out) -> None:
    for trace in read_traces(path, capsys):
        assert "decided by result" not in str(trace["conclusion"])


DECIDERS = (
    (
        "appmesh/input.checkout.yaml",
        "injected, decided by mesh shop: selects the pod (labelSelector",
    ),
    (
        "appmesh/input.other.yaml",
        "not injected: no template, mesh, overlay, or policy of the bundle",
    ),
    ("logging/input.web.yaml", "injected, decided by overlay logging: matches, and changes"),
    ("allow/input.web.yaml", "changed, decided by overlay allow: matches, and changes the object"),
    ("istio/input.web.yaml", "injected, decided by policy: the policy is enabled"),
    ("istio/input.node-agent.yaml", "not injected, decided by hostNetwork: the pod uses the host"),
)


@pytest.mark.parametrize(("path", "conclusion"), DECIDERS)
def test_what_selects_the_object_decides(path: str, conclusion: str, capsys: Out) -> None:
    assert str(read_traces(Path(path), capsys)[0]["conclusion"]).startswith(conclusion)


def test_steps_after_the_deciding_one_are_marked_without_color(capsys: Out) -> None:
    text = explain(Path("istio/input.node-agent.yaml"), "text", capsys)

    assert "✓ policy                      enabled  (not reached)" in text
    assert "shop is not in ignoredNamespaces  (not reached)" in text


def test_an_ignored_namespace_is_named_as_ignored(tmp_path: Path, capsys: Out) -> None:
    policy = "policy: enabled\nignoredNamespaces: [shop]\n"
    folder = write_folder(tmp_path / "a", "istio", policy)

    text = explain(Path("istio/input.web.yaml"), "text", capsys, "--config", folder)

    assert "shop is in ignoredNamespaces  ◀ decides" in text
