"""The last use of tokens, from the log of the function: each line has the id of its token."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from podgraft.base import system
from podgraft.cli import stacks
from podgraft.cli.aws_options import use_region
from podgraft.cli.config_source import Location
from podgraft.cli.failure import CommandError
from podgraft.cli.policy.rollout.insights import LogGroup
from podgraft.cli.storage import open_documents
from podgraft.cli.storage.parameters import ParameterDocuments

# CloudWatch bills each byte that a query reads.
DAYS = 30
_QUERY = "filter message = 'review' | stats latest(timestamp) as used by token_id"


def read_last_uses_of_regions(location: Location, regions: Sequence[str]) -> Mapping[str, str]:
    """Return the last reviews in all *regions*, or without any in the selected region."""
    uses: dict[str, str] = {}
    for region in regions or (None,):
        with use_region(region):
            for token, time in read_last_uses(location).items():
                uses[token] = max(time, uses.get(token, ""))
    return uses


def read_last_uses(location: Location) -> Mapping[str, str]:
    """Return the time of the last review by the id of its token; raises ``CommandError``."""
    documents = open_documents(location)
    if not isinstance(documents, ParameterDocuments):
        raise CommandError("--used: podgraft serve writes its own log; use --config stack:NAME")
    owner = stacks.find_owner(documents.client, documents.prefix)
    if owner is None or not owner.log_group:
        raise CommandError("--used: the stack names no log group; deploy it again")
    return read_uses_of_log(owner.log_group)


def read_uses_of_log(name: str, days: int = DAYS) -> Mapping[str, str]:
    """Return the last reviews in the log of a function, of the last *days*."""
    group = LogGroup(stacks.make_client("logs"), name)
    rows = group.read_rows(_QUERY, system.now() - timedelta(days=days))
    return {each["token_id"]: each["used"] for each in rows if "token_id" in each}
