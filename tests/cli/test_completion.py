"""Completion in shells and in kubectl."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from podgraft import cli
from podgraft.cli import kubectl
from podgraft.cli.completion import SHELLS, make_script

# Complete the words of a command line in bash, as pressing Tab does.
_BASH = """
eval "$(podgraft completion bash)"
COMP_WORDS=({words}) COMP_CWORD={index}
_podgraft_completion podgraft
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    """PATH with the programs of the package, which pip writes when it installs podgraft."""
    programs = {
        "podgraft": "podgraft.cli:main",
        "kubectl-podgraft": "podgraft.cli.kubectl:main",
        "kubectl_complete-podgraft": "podgraft.cli.kubectl:complete",
    }
    for name, entry in programs.items():
        module, _, function = entry.partition(":")
        program = tmp_path / name
        program.write_text(
            f"#!{sys.executable}\nimport sys\nfrom {module} import {function}\n"
            f"sys.argv[0] = {name!r}\nsys.exit({function}())\n"
        )
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    # Without the programs of an activated environment, which would shadow these.
    folders = [folder for folder in os.environ["PATH"].split(":") if not _has_plugin(folder)]
    return ":".join([str(tmp_path), *folders])


def _has_plugin(folder: str) -> bool:
    return (Path(folder) / "kubectl-podgraft").exists()


@pytest.mark.parametrize("shell", [*SHELLS])
def test_the_script_is_that_of_the_package(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert script.strip() == make_script(shell)
    assert "_PODGRAFT_COMPLETE" in script


@pytest.mark.parametrize(
    ("words", "completions"),
    [
        (("podgraft", "cer"), ["certs"]),
        (("podgraft", "certs", "re"), ["renew"]),
        (("podgraft", "completion", ""), ["bash", "fish", "zsh"]),
        (("podgraft", "init", "--k"), ["--kind"]),
        (("podgraft", "register", "--failure-policy", "F"), ["Fail"]),
    ],
    ids=" ".join,
)
def test_bash_completes_commands_options_and_values(
    words: tuple[str, ...], completions: list[str], path: str
) -> None:
    if shutil.which("bash") is None:
        pytest.skip("needs bash")
    quoted = " ".join(f"'{word}'" for word in words)
    script = _BASH.format(words=quoted, index=len(words) - 1)
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert sorted(done.stdout.split()) == completions, done.stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["cer"], ["certs", ":4"]),
        (["certs", "re"], ["renew", ":4"]),
        (["register", "--failure-policy", "I"], ["Ignore", ":4"]),
        (["inject", "-f", ""], [":0"]),
        (["inject", "--config", "a"], [":0"]),
        (["nothing", "zz"], [":4"]),
    ],
    ids=" ".join,
)
def test_kubectl_gets_completions_and_a_directive(
    words: list[str], expected: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert kubectl.complete(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("\t")[0] for line in lines] == expected


def test_the_plugin_has_the_name_under_which_kubectl_calls_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert kubectl.main(["certs", "--help"]) == 0
    assert capsys.readouterr().out.startswith("Usage: kubectl podgraft certs [OPTIONS]")
    assert kubectl.main(["absent"]) == 2
    assert "kubectl podgraft" in capsys.readouterr().err


def test_kubectl_finds_the_plugin_and_its_completions(path: str) -> None:
    if shutil.which("kubectl") is None:
        pytest.skip("needs kubectl")
    environment = {**os.environ, "PATH": path, "HOME": path.partition(":")[0]}

    def run(*arguments: str) -> str:
        command = ["kubectl", *arguments]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout

    assert run("podgraft", "--version").startswith("kubectl podgraft, version ")
    assert "kubectl-podgraft" in run("plugin", "list", "--name-only").split()
    lines = run("__complete", "podgraft", "certs", "rot").splitlines()
    assert [line.split("\t")[0] for line in lines] == ["rotate-ca", ":4"]


def test_fish_completes_commands(path: str) -> None:
    if shutil.which("fish") is None:
        pytest.skip("needs fish")
    done = subprocess.run(
        ["fish", "-c", 'podgraft completion fish | source; complete -C "podgraft certs re"'],
        env={**os.environ, "PATH": path, "HOME": path.partition(":")[0]},
        capture_output=True,
        text=True,
        check=True,
    )
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["renew"]


def test_zsh_registers_the_completion(path: str) -> None:
    if shutil.which("zsh") is None:
        pytest.skip("needs zsh")
    script = 'autoload -Uz compinit; compinit -u; eval "$(podgraft completion zsh)"'
    done = subprocess.run(
        ["zsh", "-f", "-c", f"{script}; print ${{_comps[podgraft]}}"],
        env={**os.environ, "PATH": path, "HOME": path.partition(":")[0]},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "_podgraft_completion"


def test_the_help_has_a_line_for_each_shell(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["completion", "--help"]) == 0
    words = [line.split()[:1] for line in capsys.readouterr().out.splitlines()]
    assert all([shell] in words for shell in ("bash", "zsh", "fish"))
