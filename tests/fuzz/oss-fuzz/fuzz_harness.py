"""The fuzzer of one harness; build.sh replaces the name."""

import sys

import atheris

with atheris.instrument_imports(include=["podgraft"]):
    from fuzz.harness import find_harness

    run = find_harness("HARNESS_NAME").run


def test_one_input(data: bytes) -> None:
    """Raise an exception if the input breaks the claim."""
    run(data)


if __name__ == "__main__":
    atheris.Setup(sys.argv, test_one_input)
    atheris.Fuzz()
