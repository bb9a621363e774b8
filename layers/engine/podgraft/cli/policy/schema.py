"""The validation of documents with the published JSON Schemas.

Editors validate documents with these schemas, so a document that they reject must not be pushed.
The parsers find more errors and report them better. An error of a schema counts only where a parser
reports none.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from podgraft.base.jsonvalue import JSON
from podgraft.core.bundle import Diagnostic
from podgraft.kube.document_reader import suggest_key
from podgraft.kube.patch import pointer

_FOLDER = Path(__file__).parent / "schemas"


def validate_document(
    name: str, file: str, document: JSON, reported: Iterable[str] = ()
) -> Iterator[Diagnostic]:
    """Yield the errors of the schema *name*, without those below the *reported* JSON Pointers."""
    # The types of jsonschema are only partly known.
    schema: Any = json.loads((_FOLDER / f"{name}.schema.json").read_text())
    validator: Any = Draft202012Validator(schema)
    # An operator of a selector decides which values are valid.
    operators = [each for each in reported if each.endswith("/operator")]
    reported_pointers = (
        *reported,
        *(f"{each.removesuffix('operator')}values" for each in operators),
    )
    for error in validator.iter_errors(document):
        path = "".join(f"/{pointer.escape(str(step))}" for step in error.absolute_path)
        # A condition depends on sibling fields, so it follows from an error of one of them.
        is_conditional = {"then", "else"} & set(map(str, error.absolute_schema_path))
        prefix = path.rpartition("/")[0] + "/" if is_conditional else path
        if any(reported_pointer.startswith(prefix) for reported_pointer in reported_pointers):
            continue
        if error.validator == "additionalProperties" and "properties" in error.schema:
            yield from _find_unknown_keys(file, path, error)
            continue
        remedy = f"use a value that {schema['$id']} allows"
        yield Diagnostic(error.message, remedy, document=file, pointer=path)


def _find_unknown_keys(file: str, path: str, error: Any) -> Iterator[Diagnostic]:
    """Yield an error for each key that the schema does not have, as the parsers do."""
    known_keys = list(error.schema["properties"])
    for key in error.instance.keys() - set(known_keys):
        yield Diagnostic(
            "unknown key",
            suggest_key(key, known_keys),
            document=file,
            pointer=f"{path}/{pointer.escape(key)}",
        )
