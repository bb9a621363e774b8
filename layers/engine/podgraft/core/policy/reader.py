"""The text of a policy document, parsed to a ``Policy`` with its rollout."""

from collections.abc import Sequence

from msgspec.structs import replace

from podgraft.base.diagnostics import Diagnostic
from podgraft.kube import yaml
from podgraft.kube.document_reader import Cursor, Diagnostics

from .document import Policy
from .keys import parse_document


class PolicyError(Exception):
    """The document is invalid; the current policy stays active.

    ``warnings`` alone do not stop a review. ``valid_part`` is the policy without the invalid keys,
    with which a bundle can be checked.
    """

    def __init__(
        self,
        faults: Sequence[Diagnostic],
        warnings: Sequence[Diagnostic] = (),
        valid_part: Policy | None = None,
    ) -> None:
        super().__init__("policy: " + ". ".join(map(str, faults)))
        self.errors = tuple(faults)
        self.warnings = tuple(warnings)
        self.valid_part = valid_part


def parse(document: str) -> Policy:
    """Parse a policy document, YAML or JSON; an empty document is valid.

    Raises ``PolicyError`` with all errors, except those of a rollout: they disable its candidate.
    """
    diagnostics = Diagnostics()
    try:
        value = yaml.load_document(document)
    except yaml.NotYAMLError as error:
        raise PolicyError([Diagnostic(f"invalid YAML: {error}", "correct this line")]) from error
    policy = parse_document(Cursor({} if value is None else value, "", diagnostics))
    if diagnostics.errors:
        raise PolicyError(diagnostics.errors, diagnostics.warnings, policy)
    policy = replace(policy, warnings=tuple(diagnostics.warnings))
    if isinstance(value, dict) and value.get("rollout") is not None:
        from .rollout_reader import add_rollout  # only a policy with this key needs it

        return add_rollout(policy, value)
    return policy
