"""The key of an injector's census: without one, nothing is recorded."""

from base64 import b64encode

from podgraft.base import system
from podgraft.cli import stacks
from podgraft.cli.failure import CommandError
from podgraft.cli.policy.target import TargetOptions
from podgraft.cli.storage import ChangedError, Documents, StoredDocument
from podgraft.cli.storage.folder import FolderDocuments
from podgraft.cli.storage.parameters import ParameterDocuments
from podgraft.service.store.names import census_key_name

_BYTES = 32


def create_key(documents: Documents, injector: str) -> bool:
    """Create a random key; an existing one remains. Return whether it existed."""
    name = census_key_name(injector)
    key = b64encode(system.random_bytes(_BYTES)).decode()
    try:
        documents.write(name, key, StoredDocument(), is_secret=True)
    except ChangedError:
        return True
    return False


def open_documents(options: TargetOptions) -> Documents:
    """Open the documents of the store."""
    if options.folder is None:
        return ParameterDocuments(stacks.make_client("ssm"), options.resolve().parameter_prefix)
    path = options.folder / options.injector
    if not path.is_dir():
        raise CommandError(f"{path}: is not a folder; check --config and --injector")
    return FolderDocuments(options.folder)
