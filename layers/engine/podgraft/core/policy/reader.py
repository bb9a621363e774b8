"""The text of a policy document, parsed to a ``Policy`` with its rollout."""

from msgspec.structs import replace

from podgraft.base.diagnostics import Diagnostic
from podgraft.base.jsonvalue import Object
from podgraft.kube import yaml
from podgraft.kube.document_reader import Cursor, Diagnostics

from .document import Policy
from .errors import PolicyError
from .keys import parse_document


def parse(document: str) -> Policy:
    """Parse a policy document, YAML or JSON; an empty document is valid.

    Raises ``PolicyError`` with all errors, except those of a rollout: they disable its candidate.
    """
    diagnostics = Diagnostics()
    try:
        value = yaml.load_document(document)
    except yaml.NotYAMLError as error:
        raise PolicyError(
            [Diagnostic(problem=f"invalid YAML: {error}", remedy="correct this line")]
        ) from error
    policy = parse_document(Cursor({} if value is None else value, "", diagnostics))
    if diagnostics.errors:
        raise PolicyError(diagnostics.errors, diagnostics.warnings, policy)
    policy = replace(policy, warnings=tuple(diagnostics.warnings))
    if isinstance(value, dict) and value.get("rollout") is not None:
        return _add_rollout(policy, value)
    return policy


def _add_rollout(policy: Policy, document: Object) -> Policy:
    from .rollout_reader import parse_rollout  # only a policy with this key needs it

    parsed = parse_rollout(document)
    return replace(
        policy,
        rollout=parsed.rollout,
        rollout_errors=parsed.errors,
        warnings=(*policy.warnings, *parsed.warnings),
    )
