"""Parameter Store: policy documents, their earlier versions, and caller documents."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from podgraft.jsonvalue import JSON
from podgraft.store.errors import NotLoadedError

from .client import MissingError, ParameterStore, RetryBudget, call_with_retries

# GetParameters accepts this many names.
VERSIONS_PER_REQUEST = 10


class Parameter(Struct, frozen=True):
    """A parameter's text, and the version that Parameter Store counts from 1.

    ``problem`` is set, and the text is empty, if the text of the version is unreadable.
    """

    text: str
    version: str
    problem: NotLoadedError | None = None


class ParameterReader(Struct, frozen=True):
    """The parameters under one prefix, such as ``/podgraft``."""

    client: ParameterStore
    prefix: str

    def policy(self, injector: str, patience: RetryBudget) -> Parameter:
        """Return the policy document of an injector; raises as ``call_with_retries``.

        If the text cannot be decrypted, the version is read without it.
        """
        name = self._policy_name(injector)
        try:
            return self._read(name, patience)
        except MissingError:
            raise
        except NotLoadedError as error:
            try:
                version = self._read(name, patience, decrypt=False).version
            except NotLoadedError:
                raise error from None
            return Parameter("", version, error)

    def policy_versions(
        self, injector: str, versions: Sequence[int], patience: RetryBudget
    ) -> tuple[Parameter, ...]:
        """Return the *versions* of a policy document that Parameter Store still has.

        This is one request, so at most ``VERSIONS_PER_REQUEST`` versions are allowed. Raises as
        ``call_with_retries``.
        """
        name = self._policy_name(injector)
        names: list[JSON] = [f"{name}:{version}" for version in versions]
        try:
            return tuple(map(_to_parameter, self._read_all(names, name, patience, decrypt=True)))
        except MissingError:
            raise
        except NotLoadedError as error:
            # If one version cannot be decrypted, the request fails for all versions.
            parameters = self._read_all(names, name, patience, decrypt=False)
            return tuple(_to_parameter(each, error) for each in parameters)

    def callers(self, patience: RetryBudget) -> Mapping[str, Parameter]:
        """Return the caller documents by cluster; raises as ``call_with_retries``."""
        folder = f"{self.prefix}/auth/"
        return {
            parameter.get("Name", "").removeprefix(folder): _to_parameter(parameter)
            for page in self._pages(folder, patience)
            for parameter in page.get("Parameters", [])
        }

    def _policy_name(self, injector: str) -> str:
        return f"{self.prefix}/{injector}/policy"

    def _pages(self, folder: str, patience: RetryBudget) -> Iterator[Mapping[str, Any]]:
        """Read the parameters of a folder; Parameter Store returns ten per page."""
        arguments: dict[str, JSON] = {"Path": folder.rstrip("/"), "WithDecryption": True}
        while True:
            page = self._call(
                "GetParametersByPath", arguments, "Parameters", f"parameters {folder}", patience
            )
            yield page
            if not page.get("NextToken"):
                return
            arguments = {**arguments, "NextToken": page["NextToken"]}

    def _read(self, name: str, patience: RetryBudget, *, decrypt: bool = True) -> Parameter:
        arguments: dict[str, JSON] = {"Name": name, "WithDecryption": decrypt}
        response = self._call("GetParameter", arguments, "Parameter", f"parameter {name}", patience)
        return _to_parameter(response["Parameter"])

    def _read_all(
        self, names: Sequence[JSON], name: str, patience: RetryBudget, *, decrypt: bool
    ) -> Sequence[Mapping[str, Any]]:
        arguments: dict[str, JSON] = {"Names": list(names), "WithDecryption": decrypt}
        item = f"earlier versions of parameter {name}"
        return self._call("GetParameters", arguments, "Parameters", item, patience)["Parameters"]

    def _call(
        self,
        operation: str,
        arguments: Mapping[str, JSON],
        key: str,
        item: str,
        patience: RetryBudget,
    ) -> Mapping[str, Any]:
        """Return a complete response. botocore parses truncated JSON as an empty response."""

        def request(seconds: float) -> Mapping[str, Any]:
            response = self.client(operation, arguments, seconds)
            if key not in response:
                raise ConnectionError("the response is incomplete")
            return response

        return call_with_retries(f"reading {item}", request, patience)


def _to_parameter(
    response: Mapping[str, Any], encrypted: NotLoadedError | None = None
) -> Parameter:
    """Convert a parameter; *encrypted* is the error if a SecureString was not decrypted."""
    version = str(response.get("Version", 0))
    if encrypted is not None and response.get("Type") == "SecureString":
        return Parameter("", version, encrypted)
    return Parameter(response.get("Value", ""), version)
