"""Changes of single keys in the text of a policy document, which retain everything else."""

import re

from podgraft.base.jsonvalue import JSON, Object, equal
from podgraft.cli.failure import CommandError
from podgraft.core.policy.rollout_reader import make_promoted
from podgraft.kube import yaml

KEY = "rollout"
_FLOW_STYLE = f"/{KEY}: unsupported flow style; write one key per line"


def load_mapping(text: str) -> Object:
    """Return the document as a mapping; raises ``CommandError`` for invalid YAML."""
    try:
        value = yaml.load_document(text)
    except yaml.NotYAMLError as error:
        raise CommandError(f"policy: invalid YAML: {error}; correct this line") from error
    return value if isinstance(value, dict) else {}


def read_rollout(text: str) -> Object | None:
    """Return the rollout of a document as a mapping, valid or not; None without one."""
    rollout = load_mapping(text).get(KEY)
    return rollout if isinstance(rollout, dict) else None


def find_id(text: str) -> str | None:
    """Return the id of the rollout; None without one, and in an invalid document."""
    try:
        fields = read_rollout(text)
    except CommandError:
        return None
    id_ = None if fields is None else fields.get("id")
    return id_ if isinstance(id_, str) else None


def describe_pods(id_: str | None, options: str, *, has_log: bool) -> str:
    """Return what pods of a candidate need after a stop, with the command that lists them."""
    log = "" if has_log else " --log FILE"
    command = f"podgraft rollout who --got --id {id_ or 'ID'}{log} {options}"
    return (
        "Pods that got the candidate keep it until you restart their workloads. To list:\n"
        f"  {command}"
    )


def is_in_flow_style(text: str) -> bool:
    """Whether a document has a rollout that podgraft cannot remove as lines."""
    if load_mapping(text).get(KEY) is None:
        return False
    try:
        remove_rollout(text)
    except CommandError:
        return True
    return False


def remove_rollout(text: str) -> str:
    """Return the document without its rollout."""
    return _write_keys(text, {KEY: None})


def set_rollout(text: str, rollout: Object) -> str:
    """Return the document with a rollout, which replaces another one."""
    return _write_keys(text, {KEY: rollout})


def promote(text: str) -> str:
    """Return the document with the keys of the candidate, and without the rollout."""
    document = load_mapping(text)
    promoted = make_promoted(document)
    changed = {key: each for key, each in promoted.items() if not equal(each, document.get(key))}
    return _write_keys(text, {**changed, KEY: None})


def _write_keys(text: str, keys: Object) -> str:
    """Return the text with other values of top-level keys; None removes a key."""
    expected = {key: value for key, value in load_mapping(text).items() if key not in keys}
    expected.update({key: value for key, value in keys.items() if value is not None})
    changed = text
    for key, value in keys.items():
        changed = _set_key(changed, key, value)
    try:
        is_changed = equal(load_mapping(changed), expected)
    except CommandError:
        is_changed = False
    if not is_changed:
        raise CommandError(_FLOW_STYLE)
    return changed


def _set_key(text: str, key: str, value: JSON) -> str:
    lines = text.splitlines(keepends=True)
    start = next((n for n, line in enumerate(lines) if re.match(rf"{key}\s*:", line)), None)
    block = [] if value is None else [yaml.dump({key: value})]
    if start is not None:
        return "".join((*lines[:start], *block, *lines[_find_end(lines, start) :]))
    if lines and block and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    return "".join((*lines, *block))


def _find_end(lines: list[str], start: int) -> int:
    """Return the index after the value; comments before the next key belong to that key."""
    end = start + 1
    while end < len(lines) and _continues(lines[end]):
        end += 1
    while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1
    return end


def _continues(line: str) -> bool:
    return not line.strip() or (line[0] in " \t#-" and not line.startswith("---"))
