"""The key of an injector's census: without one, nothing is recorded."""

from base64 import b64encode
from pathlib import Path
from typing import Any, Protocol

from podgraft.base import system
from podgraft.cli import folders, stacks
from podgraft.cli.failure import CommandError
from podgraft.cli.policy.target import TargetOptions
from podgraft.cli.stacks import AbsentError, ExistsError, aws_errors, put_parameter
from podgraft.service.store.aws.census import CENSUS_KEY
from podgraft.service.store.folder.census import CENSUS_KEY_FILE

_BYTES = 32


class KeyStorage(Protocol):
    """The key of one injector."""

    @property
    def name(self) -> str:
        """The name of the parameter or of the file."""
        ...

    def exists(self) -> bool:
        """Whether there is a key."""
        ...

    def create(self) -> None:
        """Create a random key; an existing one remains."""
        ...

    def delete(self) -> None:
        """Delete the key."""
        ...


def _make_key() -> str:
    return b64encode(system.random_bytes(_BYTES)).decode()


class ParameterKey:
    """A SecureString of a stack."""

    def __init__(self, name: str, ssm: Any) -> None:
        self._name = name
        self._ssm = ssm

    @property
    def name(self) -> str:
        """The name of the parameter."""
        return self._name

    def exists(self) -> bool:
        """Read the parameter without its value."""
        try:
            with aws_errors(f"parameter {self._name}"):
                self._ssm.get_parameter(Name=self._name, WithDecryption=False)
        except AbsentError:
            return False
        return True

    def create(self) -> None:
        """Create the parameter."""
        key = _make_key()
        try:
            put_parameter(self._ssm, self._name, key, Type="SecureString", Overwrite=False)
        except ExistsError:
            return

    def delete(self) -> None:
        """Delete the parameter."""
        try:
            with aws_errors(f"parameter {self._name}"):
                self._ssm.delete_parameter(Name=self._name)
        except AbsentError:
            return


class FileKey:
    """A file of a folder store, readable by its owner only."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def name(self) -> str:
        """The path of the file."""
        return str(self._path)

    def exists(self) -> bool:
        """Whether the file exists."""
        return self._path.exists()

    def create(self) -> None:
        """Write the file."""
        if not self._path.parent.is_dir():
            raise CommandError(
                f"{self._path.parent}: is not a folder; check --store and --injector"
            )
        if not self.exists():
            folders.replace_file(self._path, f"{_make_key()}\n".encode())
            self._path.chmod(0o600)

    def delete(self) -> None:
        """Delete the file."""
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            raise CommandError(f"{self._path}: cannot delete: {error.strerror}") from error


def open_key(options: TargetOptions) -> KeyStorage:
    """Open the key of the injector."""
    if options.folder is not None:
        return FileKey(options.folder / options.injector / CENSUS_KEY_FILE)
    prefix = options.resolve().parameter_prefix
    return ParameterKey(f"{prefix}/{options.injector}/{CENSUS_KEY}", stacks.make_client("ssm"))
