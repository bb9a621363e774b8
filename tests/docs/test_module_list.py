"""The list of all modules is current."""

import pytest

import module_list


def test_the_list_of_modules_is_current(request: pytest.FixtureRequest) -> None:
    """Run with ``--update-goldens`` after you add a module, or change what it is for."""
    if request.config.getoption("--update-goldens"):
        module_list.main()

    assert module_list.PAGE.read_text() == module_list.render()


def test_each_module_has_a_sentence() -> None:
    lines = [line for line in module_list.render().splitlines() if line.startswith("- `")]

    assert len(lines) > 500
    assert [line for line in lines if line.endswith(": ") or line[-1] not in ".!?"] == []
