"""make oracle-istio without Go: what it builds from, what it generates, and that it can fail."""

from __future__ import annotations

import json
import random
import re
import sys
from pathlib import Path

import pytest

import oracle_istio
from core.injectors.istio import bundles
from oracle.istio import build, pods
from oracle.istio.build import BuildError
from oracle.istio.comparison import Kind, compare
from oracle.istio.settings import make_settings

# Answers as main.go does, for an injector that skips every pod and copies every file.
STUB = """\
#!{python}
import base64, json, sys
for line in sys.stdin:
    asked = json.loads(line)
    answer = {{}}
    if "review" in asked:
        answer = {{"status": 200, "body": json.dumps({{"response": {{"allowed": True}}}})}}
    elif "file" in asked:
        answer = {{"output": asked["file"]}}
    elif "pods" in asked:
        answer = {{"pods": asked["pods"]}}
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture(name="folder")
def fixture_folder(tmp_path: Path) -> Path:
    """The settings of the sample, in the form of the corpus."""
    documents = bundles.documents()
    (tmp_path / "config.yaml").write_text(documents.config, encoding="utf-8")
    (tmp_path / "values.json").write_text(documents.values, encoding="utf-8")
    (tmp_path / "mesh.yaml").write_text(documents.mesh, encoding="utf-8")
    return tmp_path


RELEASE = "1.30.3"


def test_a_seed_gives_the_same_settings_and_pods(folder: Path) -> None:
    first, second, other = (random.Random(seed) for seed in (1, 1, 2))  # noqa: S311 - no secret

    assert make_settings(first, folder, RELEASE) == make_settings(second, folder, RELEASE)
    assert [pods.make_pod(first) for _ in range(50)] == [pods.make_pod(second) for _ in range(50)]
    assert make_settings(other, folder, RELEASE) != make_settings(first, folder, RELEASE)


def test_an_injector_that_skips_all_pods_differs(folder: Path, tmp_path: Path) -> None:
    program = tmp_path / "stub"
    program.write_text(STUB.format(python=sys.executable), encoding="utf-8")
    program.chmod(0o755)

    report = compare(program, "1.30.3", folder, 1, 20, lambda _: None)

    assert report.counts["injection", Kind.DIFFERENT] > 0
    assert report.counts["injection", Kind.EQUAL] == 0
    difference = report.differences[0]
    assert json.loads(json.dumps(difference.subject)) == difference.subject
    assert difference.istio == "skipped"
    assert difference.seed.startswith("1/")


@pytest.mark.parametrize("release", ["1.9.0", "", "master", "1.12.9"])
def test_a_release_that_cannot_be_compiled_is_an_error(release: str) -> None:
    with pytest.raises(
        BuildError, match=re.escape(f'got RELEASE "{release}"; use a tag from 1.13')
    ):
        build.minor_of(release)


def test_commits_and_tags_that_a_module_pins() -> None:
    text = "require (\n\tistio.io/api v1.30.3-0.20260710004328-2e43f07b30b6\n"
    text += "\tgo.uber.org/zap v1.2.3\n"
    text += "\tk8s.io/utils v0.0.0-20260319190234-28399d86e0b5 // indirect\n)\n"

    assert [*build.find_pins(text)] == [
        ("istio.io/api", "2e43f07b30b6"),
        ("go.uber.org/zap", "v1.2.3"),
        ("k8s.io/utils", "28399d86e0b5"),
    ]


ENVIRONMENTS = (
    # minor, context.go, webhook.go, code that the added file contains
    (16, "", "", ("([]config.Config, error)", "return s.resources, nil", "env.PushContext = push")),
    (18, "", "", (") []config.Config", "return s.resources\n", "env.PushContext = push")),
    (
        30,
        "func (e *Environment) SetPushContext",
        "multicluster.KclientComponent[*corev1.Namespace]",
        ("env.SetPushContext(push)", "platform.IsOpenShift()"),
    ),
)


@pytest.mark.parametrize(("minor", "context", "webhook", "code"), ENVIRONMENTS)
def test_the_added_file_uses_the_interfaces_of_the_release(
    tmp_path: Path, minor: int, context: str, webhook: str, code: tuple[str, ...]
) -> None:
    for name, text in (
        ("pilot/pkg/model/context.go", context),
        ("pkg/kube/inject/webhook.go", webhook),
    ):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    made = build.make_environment(tmp_path, minor)

    assert [part for part in code if part not in made] == []
    assert ("platform.IsOpenShift()" in made) is bool(webhook)
    assert not re.search(r"\b(LIST|LISTED|SET_PUSH|PROXY_CONFIGS)\b", made)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["", "1.30.3"], 'got ISTIO ""; run make oracle-istio ISTIO=folder-of-a-clone'),
        ([".", "1.9.0"], 'got RELEASE "1.9.0"; use a tag from 1.13.0 on'),
    ],
)
def test_a_clone_and_a_release_are_required(
    arguments: list[str],
    problem: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("shutil.which", str)

    with pytest.raises(SystemExit) as caught:
        oracle_istio.main(arguments)

    assert caught.value.code == 1
    assert problem in capsys.readouterr().err
