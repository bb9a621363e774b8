"""The deny list of a stack or of a folder."""

from collections.abc import Iterable, Mapping

from podgraft.base.jsonvalue import Object
from podgraft.cli.config_source import ConfigSourceType, Location, location_options
from podgraft.cli.documents import convert_yaml_errors
from podgraft.cli.failure import CommandError, convert_errors, raise_findings
from podgraft.cli.stacks import require_owner
from podgraft.cli.storage import Documents, StoredDocument, open_documents
from podgraft.cli.storage.parameters import ParameterDocuments
from podgraft.core.signing.denied import DenyListError, parse_deny_list
from podgraft.kube import yaml
from podgraft.service.store.names import DENIED

_HEADER = "# Bundles that must not load, with reasons; podgraft policy deny writes this list.\n"


def load_deny_list(storage: Documents) -> Mapping[str, str]:
    """Return the stored reasons by digest; raises ``CommandError`` for an invalid list."""
    return _parse_stored(storage, storage.read(DENIED))


def _parse_stored(storage: Documents, stored: StoredDocument) -> Mapping[str, str]:
    place = storage.locate(DENIED)
    with convert_yaml_errors(place), convert_errors(DenyListError, place=place):
        return parse_deny_list(yaml.load_document(stored.text or ""))


def check_denied(storage: Documents, digests: Iterable[str], option: str) -> None:
    """Raise ``CommandError`` for denied bundles; *option* names the storage for the remedy."""
    reasons = load_deny_list(storage)
    raise_findings(
        f"bundle {digest} is denied: {reasons[digest]}; use another bundle, or allow it again: "
        f"podgraft policy undeny {digest} {option}"
        for digest in dict.fromkeys(digests)
        if digest in reasons
    )


def change_deny_list(storage: Documents, digest: str, reason: str | None) -> None:
    """Deny a digest for a reason, or allow it again without one.

    Raises ``ChangedError`` if another command changed the list at the same time.
    """
    with storage.lock(DENIED):
        stored = storage.read(DENIED)
        reasons: Object = dict(_parse_stored(storage, stored))
        if reason is None and reasons.pop(digest, None) is None:
            raise CommandError(f"{storage.locate(DENIED)}: bundle {digest} is not denied")
        if reason is not None:
            reasons[digest] = reason
        with convert_errors(DenyListError, place=storage.locate(DENIED)):
            parse_deny_list(reasons)
        storage.write(DENIED, _HEADER + yaml.dump(reasons), stored)


def _open_storage(location: Location) -> Documents:
    documents = open_documents(location)
    if isinstance(documents, ParameterDocuments):
        require_owner(documents.client, documents.prefix)
    return documents


storage_options = location_options(
    _open_storage,
    ConfigSourceType(cluster=False),
    "Stack, or folder of podgraft serve.",
    name="storage",
)
