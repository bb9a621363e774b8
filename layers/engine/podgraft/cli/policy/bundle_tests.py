"""The tests in the folder ``tests/`` of a bundle, which ``podgraft check`` and ``push`` run."""

from collections.abc import Iterator
from shlex import quote

from podgraft.cli.config_source import ConfigFolder
from podgraft.cli.failure import CommandError
from podgraft.cli.folders import list_files
from podgraft.cli.test.document import PolicyTestFile
from podgraft.cli.test.files import is_test_file, read_test_file
from podgraft.core.bundle import Diagnostic

_FOLDER = "tests"


def find_failed_tests(folder: ConfigFolder) -> Iterator[Diagnostic]:
    """Run the tests of a bundle with its policy, and return an error for each that fails."""
    for path in filter(is_test_file, list_files(folder.bundle / _FOLDER, is_recursive=True)):
        name = path.relative_to(folder.bundle).as_posix()
        remedy = f"run podgraft test {quote(str(path))} for the differences"
        try:
            files = read_test_file(path)
        except CommandError as error:
            # Each error names the file, and has its remedy.
            for text in error.args:
                problem, _, own_remedy = str(text).removeprefix(f"{path} ").rpartition("; ")
                yield Diagnostic(problem, own_remedy, document=name)
            continue
        for file in files:
            yield from _run_file(file, folder, name, remedy)


def _run_file(
    file: PolicyTestFile, folder: ConfigFolder, name: str, remedy: str
) -> Iterator[Diagnostic]:
    from podgraft.cli.test.runner import Runner  # few bundles have tests

    for result in Runner(folder).run(file):
        if not result.has_passed:
            reason = next(iter((*result.errors, *map(str, result.failures))))
            problem = f'test "{result.case.name}" fails: {reason}'
            yield Diagnostic(problem, remedy, document=name)
