"""The documents of a stack: parameters below one prefix."""

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC
from typing import Any

from msgspec import Struct

from podgraft.cli.aws_options import format_aws_options
from podgraft.cli.failure import print_warnings
from podgraft.cli.stacks import AbsentError, AwsError, ExistsError, aws_errors, put_parameter

from .document import ChangedError, StoredDocument


class ParameterDocuments(Struct, frozen=True):
    """The parameters of one prefix; *client* is boto3's for Parameter Store."""

    client: Any  # typed for no service in particular
    prefix: str

    def locate(self, name: str) -> str:
        """Return the name of the parameter, for messages."""
        return f"{self.prefix}/{name}"

    def read(self, name: str) -> StoredDocument:
        """Read the decrypted value and the version."""
        with suppress(AbsentError), aws_errors(f"parameter {self.locate(name)}"):
            response = self.client.get_parameter(Name=self.locate(name), WithDecryption=True)
            parameter = response["Parameter"]
            return StoredDocument(parameter.get("Value", ""), parameter.get("Version", 0))
        return StoredDocument()

    def list_all(self) -> list[str]:
        """Return the names of all documents, sorted; it decrypts none of them."""
        return [*self._read_pages("", Recursive=True)]

    def read_all(self, folder: str) -> Mapping[str, StoredDocument]:
        """Read the decrypted parameters directly below the folder, so no locks, ten at once."""
        return {
            name: StoredDocument(each["Value"], each["Version"])
            for name, each in self._read_pages(folder, WithDecryption=True).items()
        }

    def _read_pages(self, folder: str, **options: bool) -> Mapping[str, dict[str, Any]]:
        path = f"{self.prefix}/{folder}".rstrip("/")
        pages: Iterable[dict[str, Any]] = self.client.get_paginator(
            "get_parameters_by_path"
        ).paginate(Path=path, **options)
        with aws_errors(path):
            found = [each for page in pages for each in page["Parameters"]]
        return {
            each["Name"].removeprefix(f"{self.prefix}/"): each
            for each in sorted(found, key=lambda each: each["Name"])
        }

    def write(
        self,
        name: str,
        text: str,
        expected: StoredDocument | None = None,
        *,
        is_secret: bool = False,
    ) -> None:
        """Write a new version; a secret is encrypted with the account's own key for SSM.

        Raises ``ChangedError`` unless *expected* is the current document. Parameter Store has no
        conditional update: a version in between is found afterwards.
        """
        is_new = expected is not None and expected.text is None
        try:
            response = put_parameter(
                self.client,
                self.locate(name),
                text,
                Type="SecureString" if is_secret else "String",
                Tier="Intelligent-Tiering",
                Overwrite=not is_new,
            )
        except ExistsError as error:
            raise self._changed_error(name) from error
        if expected is not None and response["Version"] != expected.version + 1:
            raise self._changed_error(name)

    def delete(self, name: str) -> None:
        """Delete the parameter, if it exists."""
        with suppress(AbsentError), aws_errors(f"parameter {self.locate(name)}"):
            self.client.delete_parameter(Name=self.locate(name))

    @contextmanager
    def lock(self, name: str) -> Generator[None]:
        """Create a parameter that no other process can create meanwhile, and delete it at the end.

        Parameter Store updates without a condition, and creates with one.
        """
        lock = f"{self.locate(name)}/lock"
        remove = f"aws ssm delete-parameter --name {lock} {format_aws_options()}".rstrip()
        try:
            put_parameter(self.client, lock, "held by podgraft", Type="String", Overwrite=False)
        except ExistsError as error:
            raise ChangedError(
                f"{lock}: another command changes {name}{self._describe_age(lock)}; run the "
                "command again; a lock older than a minute is of an interrupted command: first "
                f"run: {remove}"
            ) from error
        try:
            yield
        finally:
            try:
                with aws_errors(lock):
                    self.client.delete_parameter(Name=lock)
            except AwsError as error:
                print_warnings([f"{error}; delete the parameter: {remove}"])

    def _describe_age(self, lock: str) -> str:
        with suppress(AwsError), aws_errors(lock):  # it is gone, or cannot be read
            created = self.client.get_parameter(Name=lock)["Parameter"]["LastModifiedDate"]
            return f" since {created.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
        return ""

    def _changed_error(self, name: str) -> ChangedError:
        return ChangedError(
            f"{self.locate(name)}: another program changed the parameter at the same time; check "
            "it, then run the command again"
        )
