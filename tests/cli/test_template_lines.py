"""An error in one of Istio's templates names the line of the file, and shows it."""

import shutil
from pathlib import Path

import pytest

from podgraft import cli
from podgraft.cli.template_lines import add_file_lines
from podgraft.core.bundle import Diagnostic

SAMPLE = Path(__file__).parents[2] / "samples" / "istio"
Out = pytest.CaptureFixture[str]
PATH = "/data/config/templates/sidecar"


@pytest.fixture
def injector(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file with the template, in a copy of the sample that is the working folder."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(SAMPLE / "bundle", "bundle")
    shutil.copy(SAMPLE / "policy.yaml", "policy.yaml")
    return Path("bundle", "injector.yaml")


COMMANDS = (
    ("policy", "check", "."),
    ("inject", "-f", str(SAMPLE / "input.web.yaml"), "--config", "bundle"),
    ("explain", "-f", str(SAMPLE / "input.web.yaml"), "--config", "bundle"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_missing_end_names_the_line_of_the_open_block(
    command: tuple[str, ...], injector: Path, capsys: Out
) -> None:
    text = injector.read_text()
    end = text.rindex("{{- end }}")
    injector.write_text(text[:end] + text[end + len("{{- end }}") :])

    assert cli.main(command) == 1
    printed = capsys.readouterr().err
    [number] = [
        int(words.split()[0])
        for words in printed.split("(line ")[1:]
        if words.partition(" of ")[2].startswith("injector.yaml)")
    ]
    line = injector.read_text().splitlines()[number - 1]
    assert line.strip() == "{{- with .Values.global.imagePullSecrets }}"
    assert f"{line.strip()}\n" in printed
    excerpt = printed.split("injector.yaml)")[1].splitlines()
    assert excerpt[1].strip() == line.strip()
    assert excerpt[2].strip() == "^^^^"
    assert excerpt[1][excerpt[2].index("^") :].startswith("with")


def test_an_unknown_function_names_its_line(injector: Path, capsys: Out) -> None:
    lines = injector.read_text().splitlines()
    index = next(
        i for i, line in enumerate(lines) if "with .Values.global.imagePullSecrets" in line
    )
    lines[index] = lines[index].replace("with .Values", "with defualt .Values")
    injector.write_text("\n".join(lines) + "\n")

    assert cli.main(["policy", "check", "."]) == 1
    assert f"did you mean default? (line {index + 1} of injector.yaml)" in capsys.readouterr().err


TEXT = "data:\n  config: |\n    templates:\n      sidecar: |\n        a: b\n        c: d\n"
JSON_TEXT = '{"data": {"config": "templates: {sidecar: \\"a: b\\\\nc: d\\"}"}}'
UNCHANGED = (
    # the pointer, the file, why no line is added
    ("/data/config/policy", TEXT),  # another key
    (PATH, JSON_TEXT),  # the template is in one line of the file
    (PATH, TEXT + "other: |\n  a: b\n  c: d\n"),  # the lines occur twice
    (PATH, "a: ["),
)


@pytest.mark.parametrize(("pointer", "text"), UNCHANGED)
def test_no_line_is_added_if_it_is_unknown(pointer: str, text: str) -> None:
    diagnostic = Diagnostic("p", "see line 2", document="a.yaml", pointer=pointer)

    assert [*add_file_lines([diagnostic], {"a.yaml": text.encode()})] == [diagnostic]


def test_the_line_counts_from_the_file() -> None:
    diagnostic = Diagnostic("p", "see line 2", document="a.yaml", pointer=PATH)

    [located] = add_file_lines([diagnostic], {"a.yaml": TEXT.encode()})
    assert located.remedy == "see line 2 (line 6 of a.yaml)"
