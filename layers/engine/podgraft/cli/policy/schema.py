"""The published JSON Schemas, asked besides our own readers.

Editors complete and judge documents by these schemas, so what they refuse must not be pushed. The
readers know more and say it better; a schema's word counts only where they found nothing.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from podgraft.bundle import Diagnostic
from podgraft.jsonvalue import JSON
from podgraft.patch import pointer

_FOLDER = Path(__file__).parent / "schemas"


def validate_document(
    name: str, file: str, document: JSON, reported: Iterable[str] = ()
) -> Iterator[Diagnostic]:
    """What the schema *name* finds at places that are not *known* (JSON Pointers) to be wrong."""
    # jsonschema's own types are only partly known.
    validator: Any = Draft202012Validator(json.loads((_FOLDER / f"{name}.schema.json").read_text()))
    reported_pointers = tuple(reported)
    for error in validator.iter_errors(document):
        path = "".join(f"/{pointer.escape(str(step))}" for step in error.absolute_path)
        if not any(reported_pointer.startswith(path) for reported_pointer in reported_pointers):
            remedy = f"write what docs/schemas/{name}.schema.json allows there"
            yield Diagnostic(document=file, pointer=path, problem=error.message, remedy=remedy)
