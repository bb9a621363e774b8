"""Every input of the page, on the files of the page: the replacements in place of the packages.

The page reviews all inputs in one process, again and again. So does this test: some checks of the
engine use other code from the fifth review of a process.
"""

import json
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from playground_build import archive, pyodide
from playground_build.examples import read_examples
from playground_build.zips import make_zip
from support import playground_test_cases as test_cases

ROOT = Path(__file__).parents[2]
EXAMPLES = read_examples(ROOT)
INPUTS = [(name, pod) for name, example in EXAMPLES.items() for pod in example["pods"]]
REVIEWS = 6
# Its wheel for the page contains the same C code.
NATIVE = {"msgspec"}
_PROGRAM = """
import json, sys

site, folder, reviews = sys.argv[1:]
sys.path.insert(0, site)
from podgraft_playground import api

answers = []
for each in json.load(sys.stdin):
    operations = ["review"] * int(reviews) + ["origins", "testCase"]
    texts = [json.dumps({"do": do, "input": each}) for do in operations]
    answers.append([json.loads(api.handle(text, folder)) for text in texts])
replaced = [sys.modules[name].__file__ for name in ("re2",)]
print(json.dumps({"answers": answers, "replaced": replaced}))
"""


def write_page(folder: Path) -> None:
    """Write what the page imports: own files as the build selects them, and the dependencies."""
    for name, content in archive.make_own_files(ROOT).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    for package in archive.read_dependencies(ROOT):
        suffixes = (".py", ".so") if package in NATIVE else (".py",)
        for file in metadata.files(package) or []:
            if archive.is_used(str(file), suffixes):
                path = folder / file
                path.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file.locate(), path)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Any]:
    """The answers to each input, from one process without other packages."""
    site, folder = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("work")
    write_page(site)
    given = [
        {
            "files": EXAMPLES[name]["files"],
            "policy": EXAMPLES[name]["policy"],
            "pod": EXAMPLES[name]["pods"][pod],
        }
        for name, pod in INPUTS
    ]
    command = [sys.executable, "-I", "-S", "-c", _PROGRAM, str(site), str(folder), str(REVIEWS)]
    result = subprocess.run(
        command, input=json.dumps(given), capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    printed = json.loads(result.stdout)
    assert all(Path(path).is_relative_to(site) for path in printed["replaced"])
    return dict(zip(INPUTS, printed["answers"], strict=True))


def test_no_module_of_the_page_imports_a_part_of_python_that_the_page_leaves_out() -> None:
    names = [f"{name.replace('.', '/')}.py" for name in pyodide.UNUSED]

    archive.check_imports(
        make_zip(archive.make_own_files(ROOT)), make_zip(dict.fromkeys(names, b""))
    )


def test_the_page_has_the_time_zones(tmp_path: Path) -> None:
    program = """
import sys
sys.path.insert(0, sys.argv[1])
from podgraft.base.zones import find_zone
print(find_zone("Europe/Berlin", 0))
"""
    write_page(tmp_path)
    command = [sys.executable, "-I", "-S", "-c", program, str(tmp_path)]
    printed = subprocess.run(command, capture_output=True, check=True)
    assert printed.stdout == b"('CET', 3600)\n"
    assert "zoneinfo" not in pyodide.UNUSED


@pytest.mark.parametrize(("name", "pod"), INPUTS, ids=[f"{n}/{p}" for n, p in INPUTS])
def test_each_review_of_an_input_is_the_command_lines(
    page: dict[tuple[str, str], Any], tmp_path: Path, name: str, pod: str
) -> None:
    example = EXAMPLES[name]
    texts = {f"bundle/{file}": text for file, text in example["files"].items()}
    for path, text in {
        **texts,
        "pod.yaml": example["pods"][pod],
        "policy.yaml": example["policy"],
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    arguments = ("-f", "pod.yaml", "--config", ".")
    expected = test_cases.run_explain(tmp_path, arguments)

    *reviews, origins, test_case = page[name, pod]

    for answer in reviews:
        assert answer["text"] == expected.stdout
        assert answer["errors"] == expected.stderr
        assert answer["status"] == expected.status
    assert len(reviews) == REVIEWS
    assert len(origins["documents"]) == len(reviews[0]["documents"])
    assert "document" in test_case
