"""Files of expected values: YAML, or JSON for a name that ends in .json."""

import json
from pathlib import Path

from podgraft.base import jsonvalue
from podgraft.base.jsonvalue import JSON
from podgraft.cli import documents
from podgraft.cli.failure import CommandError
from podgraft.cli.outputs import replace_file
from podgraft.kube import yaml


def read_expected(path: Path) -> JSON:
    """The value of a file; raises ``CommandError``."""
    text = documents.read_text(path)
    try:
        return yaml.load_document(text)
    except yaml.NotYAMLError as error:
        raise CommandError(f"{path}: invalid YAML: {error}; correct the syntax") from error


def write_expected(path: Path, value: JSON) -> bool:
    """Write a value, unless the file has it already; return whether the file changed."""
    if path.exists() and jsonvalue.equal(read_expected(path), value):
        return False
    is_json = path.suffix == ".json"
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n" if is_json else yaml.dump(value)
    if not path.parent.is_dir():
        raise CommandError(f"{path.parent}: is not a folder; create it")
    replace_file(path, text.encode())
    return True
