"""The documents as SSM SecureStrings: ``<prefix>/auth/<cluster>``."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from podgraft.cli import stacks
from podgraft.cli.failure import CommandError, print_warnings
from podgraft.cli.stacks import (
    AbsentError,
    AwsError,
    ExistsError,
    aws_errors,
    find_owner,
    no_owner_error,
    put_parameter,
)

from .storage import CallerStorageError, Entry, check_cluster_name

MAX_BYTES = (
    4096  # of a standard parameter; an advanced one costs money and holds what no cluster needs
)


class Parameters(Protocol):
    """The calls of boto3's SSM client that are made."""

    def get_parameter(self, **arguments: object) -> dict[str, Any]:
        """One parameter."""
        ...

    def put_parameter(self, **arguments: object) -> dict[str, Any]:
        """Write one parameter."""
        ...

    def delete_parameter(self, **arguments: object) -> dict[str, Any]:
        """Delete one parameter."""
        ...

    def get_paginator(self, operation_name: str) -> Any:
        """Pages of ``get_parameters_by_path``."""
        ...


@dataclass(frozen=True, slots=True)
class ParameterStorage:
    """The parameters below one prefix."""

    client: Parameters
    prefix: str

    def location(self, cluster: str) -> str:
        """The parameter of *cluster*."""
        return f"{self.prefix}/auth/{check_cluster_name(cluster)}"

    def clusters(self) -> list[str]:
        """Every cluster that has a parameter."""
        pages: Iterable[dict[str, Any]] = self.client.get_paginator(
            "get_parameters_by_path"
        ).paginate(Path=f"{self.prefix}/auth")
        with aws_errors(f"{self.prefix}/auth"):
            names = [one["Name"] for page in pages for one in page["Parameters"]]
        return sorted(name.rsplit("/", 1)[-1] for name in names)

    def read(self, cluster: str) -> Entry:
        """The parameter's decrypted value and its version."""
        name = self.location(cluster)
        try:
            with aws_errors(name):
                response = self.client.get_parameter(Name=name, WithDecryption=True)
        except AbsentError:
            return Entry()
        return Entry(response["Parameter"]["Value"], response["Parameter"].get("Version", 0))

    @contextmanager
    def lock(self, cluster: str) -> Generator[None]:
        """Create a parameter that no other process can create meanwhile, and delete it at the end.

        Parameter Store updates without a condition, and creates with one. The function reads only
        the direct children of ``<prefix>/auth``, so it does not read the lock.
        """
        name = f"{self.location(cluster)}/lock"
        remove = f"aws ssm delete-parameter --name {name}"
        value = "held by podgraft tokens"
        try:
            put_parameter(self.client, name, value, Type="String", Overwrite=False)
        except ExistsError as error:
            raise CallerStorageError(
                f"{name}: another podgraft tokens changes {cluster}; run the command again; "
                f"if the other command was interrupted, first run: {remove}"
            ) from error
        try:
            yield
        finally:
            try:
                with aws_errors(name):
                    self.client.delete_parameter(Name=name)
            except AwsError as error:
                print_warnings([f"{error}; delete the parameter: {remove}"])

    def write(self, cluster: str, text: str, replaced: Entry) -> None:
        """Write a new version of the parameter, encrypted with the account's own key for SSM."""
        name = self.location(cluster)
        if len(text.encode()) > MAX_BYTES:
            raise CallerStorageError(
                f"{name}: over {MAX_BYTES} bytes; shorten the notes or the subjects"
            )
        is_new = replaced.text is None
        if is_new:
            self._check_owner()
        try:
            response = put_parameter(
                self.client, name, text, Type="SecureString", Overwrite=not is_new
            )
        except ExistsError as error:
            raise _changed_error(name) from error
        if response["Version"] != replaced.version + 1:
            raise _changed_error(name)

    def delete(self, cluster: str) -> None:
        """Delete the parameter with all its versions."""
        name = self.location(cluster)
        try:
            with aws_errors(name):
                self.client.delete_parameter(Name=name)
        except AbsentError:
            return

    def _check_owner(self) -> None:
        """Raise ``CallerStorageError`` for a prefix that no stack reads."""
        try:
            owner = find_owner(self.client, self.prefix)
        except CommandError as error:
            raise CallerStorageError(str(error)) from error
        if owner is None:
            raise CallerStorageError(str(no_owner_error(self.prefix)))


def _changed_error(name: str) -> CallerStorageError:
    return CallerStorageError(
        f"{name}: another program changed the parameter at the same time; check it with "
        "podgraft tokens list, then run the command again"
    )


def open_parameter_storage(prefix: str) -> ParameterStorage:
    """Open the parameters of the account and region of the command line or environment."""
    return ParameterStorage(stacks.make_client("ssm"), prefix.rstrip("/"))
