"""The templates of the module as Terraform's ``templatefile`` renders them.

Only what the generator writes: variables, ``if`` directives, and ``jsonencode`` of a variable.
test_module.py compares the renderings with those of Terraform, if it is installed.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "deploy" / "terraform"
# A choice without another one in it.
_TEXT = r"((?:(?!%\{).)*)"
_CHOICE = re.compile(rf"%\{{ if (\w+) \}}{_TEXT}%\{{ else \}}{_TEXT}%\{{ endif \}}")
_ENCODE = re.compile(r"\$\{jsonencode\((\w+)\)\}")
_VARIABLE = re.compile(r"\$\{(\w+)\}")


def render(name: str, variables: Mapping[str, Any]) -> str:
    """The text of a template."""
    text = (FOLDER / name).read_text()
    count = 1
    while count:
        text, count = _CHOICE.subn(
            lambda match: match[2] if variables[match[1]] else match[3], text
        )
    text = _ENCODE.sub(lambda match: json.dumps(variables[match[1]], separators=(",", ":")), text)
    return _VARIABLE.sub(lambda match: str(variables[match[1]]), text)


def load(name: str, variables: Mapping[str, Any]) -> Any:
    """The document of a template."""
    return json.loads(render(name, variables))
