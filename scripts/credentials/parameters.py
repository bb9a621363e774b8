"""The documents as SSM SecureStrings: ``<prefix>/auth/<cluster>``."""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from credentials.shelf import ShelfError, checked

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

    def get_paginator(self, operation_name: str) -> Any:
        """Pages of ``get_parameters_by_path``."""
        ...


@dataclass(frozen=True, slots=True)
class ParameterShelf:
    """The parameters below one prefix."""

    client: Parameters
    prefix: str
    fault: type[Exception]  # botocore's ClientError, which must not be imported for a file store

    def place(self, cluster: str) -> str:
        """The parameter of *cluster*."""
        return f"{self.prefix}/auth/{checked(cluster)}"

    def clusters(self) -> list[str]:
        """Every cluster that has a parameter."""
        pages: Iterable[dict[str, Any]] = self.client.get_paginator(
            "get_parameters_by_path"
        ).paginate(Path=f"{self.prefix}/auth")
        try:
            found = [one["Name"] for page in pages for one in page["Parameters"]]
        except self.fault as error:
            raise ShelfError(f"{self.prefix}/auth: {error}") from error
        return sorted(name.rsplit("/", 1)[-1] for name in found)

    def read(self, cluster: str) -> str | None:
        """The parameter's decrypted value."""
        name = self.place(cluster)
        try:
            answer = self.client.get_parameter(Name=name, WithDecryption=True)
        except self.fault as error:
            if "ParameterNotFound" in str(error):
                return None
            raise ShelfError(f"{name}: {error}") from error
        return answer["Parameter"]["Value"]

    def write(self, cluster: str, text: str) -> None:
        """Write a new version of the parameter, encrypted with the account's own key for SSM."""
        name = self.place(cluster)
        if len(text.encode()) > MAX_BYTES:
            raise ShelfError(f"{name}: over {MAX_BYTES} bytes; shorten the notes or the subjects")
        try:
            self.client.put_parameter(Name=name, Value=text, Type="SecureString", Overwrite=True)
        except self.fault as error:
            raise ShelfError(f"{name}: {str(error).replace(text, '…')}") from error


def connect(prefix: str) -> ParameterShelf:
    """The shelf behind the environment's credentials and region; boto3 ships no types."""
    client: Parameters = import_module("boto3").client("ssm")
    fault: type[Exception] = import_module("botocore.exceptions").ClientError
    return ParameterShelf(client, prefix.rstrip("/"), fault)
