"""tests/README.md lists the tests of every module of the engine, and every package has a mirror."""

import pytest

from support import module_table
from support.module_table import ENGINE, PAGE, TESTS

# Modules that no test imports, and why.
WITHOUT_TESTS = {
    "podgraft.__main__": "two lines; tests/e2e starts it as a program",
}


def test_the_table_is_complete(request: pytest.FixtureRequest) -> None:
    """Run with ``--update-goldens`` after you add a module or a test file."""
    page = PAGE.read_text()
    expected = module_table.render_page(page)
    if request.config.getoption("--update-goldens"):
        PAGE.write_text(expected)
    elif page != expected:
        changed = sorted(set(page.splitlines()) ^ set(expected.splitlines()))
        pytest.fail(
            "\n".join(["run this file with --update-goldens; these rows differ:", *changed])
        )


def test_every_module_has_tests() -> None:
    assert set(module_table.uncovered_modules()) == WITHOUT_TESTS.keys()


def test_every_package_has_a_folder_of_tests() -> None:
    packages = {path.parent.name for path in (ENGINE / "podgraft").glob("*/__init__.py")}
    folders = {path.name for path in TESTS.iterdir() if path.is_dir()}
    assert packages <= folders


@pytest.mark.parametrize(
    ("module", "file"),
    [
        ("podgraft.kube.patch.differ", "kube/patch/test_differ.py"),
        ("podgraft.core.policy.decision", "core/policy/test_decision.py"),
        ("podgraft.service.store.aws.clients", "service/store/test_clients.py"),
        ("podgraft.service.http.throttle", "service/http/test_throttle.py"),
    ],
)
def test_the_nearest_tests_come_first(module: str, file: str) -> None:
    files, _ = module_table.find_tests(module)
    assert files[0] == file
