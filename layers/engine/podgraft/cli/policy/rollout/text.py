"""The rollout in the text of a policy document; a change retains everything else."""

from podgraft.base.jsonvalue import Object, equal
from podgraft.cli.failure import CommandError
from podgraft.cli.policy.document_text import load_mapping, write_keys
from podgraft.cli.policy.options import MAX_MESSAGE_CHARACTERS
from podgraft.core.policy.rollout_reader import make_promoted

KEY = "rollout"
_FLOW_STYLE = f"/{KEY}: unsupported flow style; write one key per line"


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


def describe_change(rollout: Object, change: str, reason: str | None = None) -> str:
    """Return the message of a version that changes a rollout, in one line."""
    words = f"rollout {rollout.get('id')}: {change}" + (f"; reason: {reason}" if reason else "")
    line = "".join(each if each.isprintable() else " " for each in " ".join(words.split()))
    return line[:MAX_MESSAGE_CHARACTERS]


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
    return write_keys(text, {KEY: None}, _FLOW_STYLE)


def set_rollout(text: str, rollout: Object) -> str:
    """Return the document with a rollout, which replaces another one."""
    return write_keys(text, {KEY: rollout}, _FLOW_STYLE)


def promote(text: str) -> str:
    """Return the document with the keys of the candidate, and without the rollout."""
    document = load_mapping(text)
    promoted = make_promoted(document)
    changed = {key: each for key, each in promoted.items() if not equal(each, document.get(key))}
    return write_keys(text, {**changed, KEY: None}, _FLOW_STYLE)
