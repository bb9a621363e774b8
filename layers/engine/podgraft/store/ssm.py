"""Parameter Store: policy documents and the hashes of who may call."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar, cast

from podgraft.records import dataclass

from .aws import Patience, call

if TYPE_CHECKING:
    from mypy_boto3_ssm import SSMClient
    from mypy_boto3_ssm.type_defs import (
        GetParameterResultTypeDef,
        GetParametersByPathResultTypeDef,
        ParameterTypeDef,
    )

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter's text, and the version that Parameter Store counts from 1."""

    text: str
    version: str


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters under one prefix, such as ``/podgraft``."""

    client: "SSMClient"
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

    def _pages(
        self, folder: str, patience: Patience
    ) -> "Iterator[GetParametersByPathResultTypeDef]":
        """Every page of the parameters in a folder; Parameter Store gives ten at a time."""
        token = ""
        while True:

            def request(start: str = token) -> "GetParametersByPathResultTypeDef":
                by_path = self.client.get_parameters_by_path
                path = folder.rstrip("/")
                if start:
                    page = by_path(Path=path, WithDecryption=True, NextToken=start)
                else:
                    page = by_path(Path=path, WithDecryption=True)
                return _whole(page, "Parameters")

            page = call(f"reading parameters {folder}", request, patience)
            yield page
            token = page.get("NextToken", "")
            if not token:
                return

    def _read(self, name: str, patience: Patience) -> Parameter:
        def request() -> "GetParameterResultTypeDef":
            return _whole(self.client.get_parameter(Name=name, WithDecryption=True), "Parameter")

        answer = call(f"reading parameter {name}", request, patience)
        return _parameter(answer["Parameter"])


def _whole(answer: T, key: str) -> T:
    """The answer, if it is one: of a JSON body that was cut off, botocore makes an empty one."""
    if not isinstance(answer, dict) or key not in answer:
        raise ConnectionError("the answer is not whole")
    return cast("T", answer)


def _parameter(found: "ParameterTypeDef") -> Parameter:
    return Parameter(found.get("Value", ""), str(found.get("Version", 0)))
