"""Parameter Store: policy documents, their earlier versions, and the hashes of who may call."""

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

    ``problem`` is why the text of a version that exists cannot be read: then there is none.
    """

    text: str
    version: str
    problem: NotLoadedError | None = None


class ParameterReader(Struct, frozen=True):
    """The parameters under one prefix, such as ``/podgraft``."""

    client: ParameterStore
    prefix: str

    def policy(self, injector: str, patience: RetryBudget) -> Parameter:
        """The policy document of an injector; raises as ``aws.call`` does.

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
        """Those of the *versions* of a policy document that Parameter Store still has.

        One request; *versions* are ``VERSIONS_PER_REQUEST`` at most. Raises as ``aws.call`` does.
        """
        name = self._policy_name(injector)
        names: list[JSON] = [f"{name}:{version}" for version in versions]
        try:
            return tuple(map(_to_parameter, self._read_all(names, name, patience, decrypt=True)))
        except MissingError:
            raise
        except NotLoadedError as error:
            # One version that cannot be decrypted fails the request for all.
            found = self._read_all(names, name, patience, decrypt=False)
            return tuple(_to_parameter(each, error) for each in found)

    def callers(self, patience: RetryBudget) -> Mapping[str, Parameter]:
        """The documents that say who may call, by cluster; raises as ``aws.call`` does."""
        folder = f"{self.prefix}/auth/"
        return {
            parameter.get("Name", "").removeprefix(folder): _to_parameter(parameter)
            for page in self._pages(folder, patience)
            for parameter in page.get("Parameters", [])
        }

    def _policy_name(self, injector: str) -> str:
        return f"{self.prefix}/{injector}/policy"

    def _pages(self, folder: str, patience: RetryBudget) -> Iterator[Mapping[str, Any]]:
        """Every page of the parameters in a folder; Parameter Store gives ten at a time."""
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
        answer = self._call("GetParameter", arguments, "Parameter", f"parameter {name}", patience)
        return _to_parameter(answer["Parameter"])

    def _read_all(
        self, names: Sequence[JSON], name: str, patience: RetryBudget, *, decrypt: bool
    ) -> Sequence[Mapping[str, Any]]:
        arguments: dict[str, JSON] = {"Names": list(names), "WithDecryption": decrypt}
        what = f"earlier versions of parameter {name}"
        return self._call("GetParameters", arguments, "Parameters", what, patience)["Parameters"]

    def _call(
        self,
        operation: str,
        arguments: Mapping[str, JSON],
        key: str,
        what: str,
        patience: RetryBudget,
    ) -> Mapping[str, Any]:
        """The answer, if it is one: of JSON that was cut off, botocore makes an empty one."""

        def request(seconds: float) -> Mapping[str, Any]:
            answer = self.client(operation, arguments, seconds)
            if key not in answer:
                raise ConnectionError("the answer is not whole")
            return answer

        return call_with_retries(f"reading {what}", request, patience)


def _to_parameter(found: Mapping[str, Any], encrypted: NotLoadedError | None = None) -> Parameter:
    """A parameter of an answer; *encrypted* is why the text of a SecureString is not plain."""
    version = str(found.get("Version", 0))
    if encrypted is not None and found.get("Type") == "SecureString":
        return Parameter("", version, encrypted)
    return Parameter(found.get("Value", ""), version)
