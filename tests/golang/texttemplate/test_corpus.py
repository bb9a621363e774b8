"""Istio's own templates, of every release, parse as they are."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import yaml

from podgraft.golang.texttemplate import BUILTINS
from podgraft.golang.texttemplate.parse.parser import parse
from podgraft.golang.texttemplate.parse.source import Source

VARIABLE = "PODGRAFT_CORPUS"
BESIDE = Path(__file__).parents[3].parent / "shared" / "corpus"
CORPUS = Path(os.environ.get(VARIABLE) or BESIDE)
CONFIGURATIONS = sorted(CORPUS.glob("*/settings/*/config.yaml"))
_SQUARE = "1.0"  # the release that had other delimiters


def templates(configuration: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """The templates of a configuration, in the form of its release."""
    several = configuration.get("templates")
    if isinstance(several, dict):
        yield from several.items()
    single = configuration.get("template")
    if isinstance(single, str):
        yield "template", single


@pytest.mark.skipif(not CONFIGURATIONS, reason=f"no corpus: set {VARIABLE} to its folder")
@pytest.mark.parametrize(
    "path", CONFIGURATIONS, ids=lambda path: f"{path.parts[-4]}-{path.parts[-2]}"
)
def test_the_templates_of_a_release_parse(path: Path) -> None:
    configuration = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    delimiters = ("[[", "]]") if path.parts[-4] == _SQUARE else ("{{", "}}")
    found = list(templates(configuration))
    assert found
    for name, text in found:
        called = set(re.findall(r"\w+", text)) - {"break", "continue"}
        anything = dict.fromkeys(called, BUILTINS["print"])
        assert name in parse(Source(name, text), delimiters, anything)
