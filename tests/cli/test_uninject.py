"""``podgraft uninject``, as it is typed: files and streams in, files and streams out."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from podgraft import cli
from podgraft.kube import yaml

SAMPLE = Path(__file__).parents[2] / "samples" / "istio"
SERVICE = "# kept\nkind: Service\napiVersion: v1\n"


def test_a_file_that_was_injected_is_as_it_was(tmp_path: Path) -> None:
    injected, back = tmp_path / "injected.yaml", tmp_path / "back.yaml"
    source = "kind: Pod\napiVersion: v1\nmetadata: {name: p}\nspec: {containers: [{name: a}]}\n"
    (tmp_path / "in.yaml").write_text(f"{SERVICE}---\n{source}")
    bundle = str(SAMPLE / "bundle")

    assert (
        cli.main(["inject", "-f", f"{tmp_path}/in.yaml", "-o", str(injected), "--config", bundle])
        == 0
    )
    assert "istio-proxy" in injected.read_text()
    assert cli.main(["uninject", "-f", str(injected), "-o", str(back)]) == 0
    assert back.read_text().startswith(f"{SERVICE}---\n")
    assert [*yaml.load_all(back.read_text())][1] == yaml.load(source)


def test_a_stream_without_sidecars_is_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(SERVICE))

    assert cli.main(["uninject", "-f", "-"]) == 0
    assert capsys.readouterr().out == SERVICE


def test_what_is_no_yaml_is_an_error_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text("a: [")

    assert cli.main(["uninject", "-f", str(path)]) == 1
    assert f"error: {path}: invalid YAML: line " in capsys.readouterr().err
    assert cli.main(["uninject"]) == 2


def test_the_output_is_utf8_in_every_locale(tmp_path: Path) -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web, annotations: {owner: é}}\n"
    (tmp_path / "pod.yaml").write_text(pod, "utf-8")
    words = [sys.executable, "-m", "podgraft", "uninject", "-f", "pod.yaml", "-o", "out.yaml"]
    ascii_ = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    environment = {**os.environ, **ascii_}
    subprocess.run(words, cwd=tmp_path, env=environment, check=True)
    assert (tmp_path / "out.yaml").read_text("utf-8") == pod
    done = subprocess.run(
        words[:-2], cwd=tmp_path, env=environment, check=True, stdout=subprocess.PIPE
    )
    assert done.stdout.decode() == pod
