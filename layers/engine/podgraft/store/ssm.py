"""Parameter Store: policy documents and the hashes of who may call."""

from collections.abc import Iterator, Mapping
from typing import Any

from podgraft.jsonvalue import JSON
from podgraft.records import dataclass

from .aws import ParameterStore, Patience, call


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter's text, and the version that Parameter Store counts from 1."""

    text: str
    version: str


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters under one prefix, such as ``/podgraft``."""

    client: ParameterStore
    prefix: str

    def policy(self, injector: str, patience: Patience) -> Parameter:
        """The policy document of an injector; raises as ``aws.call`` does."""
        return self._read(f"{self.prefix}/{injector}/policy", patience)

    def callers(self, patience: Patience) -> Mapping[str, Parameter]:
        """The documents that say who may call, by cluster; raises as ``aws.call`` does."""
        folder = f"{self.prefix}/auth/"
        return {
            parameter.get("Name", "").removeprefix(folder): _parameter(parameter)
            for page in self._pages(folder, patience)
            for parameter in page.get("Parameters", [])
        }

    def _pages(self, folder: str, patience: Patience) -> Iterator[Mapping[str, Any]]:
        """Every page of the parameters in a folder; Parameter Store gives ten at a time."""
        arguments: dict[str, JSON] = {"Path": folder.rstrip("/"), "WithDecryption": True}
        while True:
            page = self._answer(
                "GetParametersByPath", arguments, "Parameters", f"parameters {folder}", patience
            )
            yield page
            if not page.get("NextToken"):
                return
            arguments = {**arguments, "NextToken": page["NextToken"]}

    def _read(self, name: str, patience: Patience) -> Parameter:
        arguments: dict[str, JSON] = {"Name": name, "WithDecryption": True}
        answer = self._answer("GetParameter", arguments, "Parameter", f"parameter {name}", patience)
        return _parameter(answer["Parameter"])

    def _answer(
        self, operation: str, arguments: Mapping[str, JSON], key: str, what: str, patience: Patience
    ) -> Mapping[str, Any]:
        """The answer, if it is one: of JSON that was cut off, botocore makes an empty one."""

        def request(seconds: float) -> Mapping[str, Any]:
            answer = self.client(operation, arguments, seconds)
            if key not in answer:
                raise ConnectionError("the answer is not whole")
            return answer

        return call(f"reading {what}", request, patience)


def _parameter(found: Mapping[str, Any]) -> Parameter:
    return Parameter(found.get("Value", ""), str(found.get("Version", 0)))
