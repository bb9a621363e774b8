"""A command that podgraft prints works as printed, also if a path contains a space."""

import re
import shutil
from pathlib import Path

import pytest

from podgraft.cli import main

SAMPLE = Path(__file__).parents[2] / "samples" / "istio"
FAILING = """\
apiVersion: podgraft.dev/v1
kind: Test
tests:
- name: a
  object: {apiVersion: v1, kind: Pod, metadata: {name: a, namespace: b}, spec: {containers: []}}
  expect: {outcome: denied}
"""
# In their order, with @ for the folder; the files of a command are those of the commands before it.
COMMANDS = (
    "init --kind helm @/helm",
    "init --kind container @/image",
    "certs ca --key-type p-256 --dir @",
    "certs server --key-type p-256 --dir @ a.example.com",
    "certs client --key-type p-256 --dir @ a",
    "certs rotate-ca --from @ --to @/next plan",
    "certs rotate-ca --from @ --to @/next begin",
    "check @/store/istio",
    "serve --check --cert @/server.pem --key @/server.key --store @/store",
    "serve --check --cert @/server.pem --key @/server.key --store @/store/istio",
    "tokens issue --config @/store --cluster a --output @/token",
    (
        "register --url https://a.example.com --ca-bundle @/ca.pem --namespace-selector a=b "
        "--cluster a --client-cert @/a.pem --client-key @/a.key --control-plane @/plane"
    ),
)
_PROGRAMS = "podgraft|kubectl|helm|pip|podman|kube-apiserver"
# A command is a line, a comment, or follows a colon or a semicolon.
_COMMAND = re.compile(
    rf"(?:^|[:;] (?:run )?)[# ]*((?:{_PROGRAMS}) .*|use --store .*)", re.MULTILINE
)


def test_paths_in_printed_commands_are_one_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    injector = tmp_path / "my files" / "store" / "istio"
    shutil.copytree(SAMPLE, injector)
    (injector / "bundle" / "tests").mkdir()
    (injector / "bundle" / "tests" / "podgraft-test.yaml").write_text(FAILING)
    texts = dict[str, str]()
    for command in COMMANDS:
        main([word.replace("@", "my files") for word in command.split()])
        texts[command] = "\n".join(capsys.readouterr())
    texts["values.yaml"] = (tmp_path / "my files" / "helm" / "values.yaml").read_text()
    printed = {name: _COMMAND.findall(text) for name, text in texts.items()}
    for name, lines in printed.items():
        assert any("my files" in line for line in lines), f"{name}\n{texts[name]}"
        for line in lines:
            assert "my files" not in re.sub(r"'[^']*'", "", line), f"{name}\n{line}"
