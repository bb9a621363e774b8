"""Parameter Store: policy documents, their earlier versions, and caller documents."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from podgraft.base.jsonvalue import JSON
from podgraft.core.identifiers import is_injector
from podgraft.core.versions.errors import NotLoadedError
from podgraft.service.store.names import CALLERS, DENIED, POLICY, brake_name, policy_name
from podgraft.service.store.registry_document import POINTER

from .client import MissingError, ParameterStore, RetryBudget, call_with_retries

# GetParameters accepts this many names.
VERSIONS_PER_REQUEST = 10


class Parameter(Struct, frozen=True):
    """A parameter's text, and the version that Parameter Store counts from 1.

    ``problem`` is set, and the text is empty, if the text of the version is unreadable. ``name`` is
    the name of the parameter, which signatures cover. ``denied`` is the text of the deny list, and
    ``brakes`` are the texts of the existing brakes. ``stored_at`` is when the version was stored,
    in seconds since 1970.
    """

    text: str
    version: str
    problem: NotLoadedError | None = None
    name: str = ""
    denied: str = ""
    brakes: tuple[str, ...] = ()
    stored_at: float = 0.0


class MissingPolicyError(MissingError):
    """The policy is missing. ``denied`` is the text of the deny list, which is in force."""

    def __init__(self, message: str, denied: str) -> None:
        super().__init__(message)
        self.denied = denied


class ParameterReader(Struct, frozen=True):
    """The parameters under one prefix, such as ``/podgraft``."""

    client: ParameterStore
    prefix: str

    def policy(self, injector: str, patience: RetryBudget) -> Parameter:
        """Return the policy document of an injector, with the deny list and the brakes.

        This is one request. Raises as ``call_with_retries``, and ``MissingPolicyError``. If the
        text cannot be decrypted, the version is read without it.
        """
        try:
            return self._read(injector, patience)
        except MissingError:
            raise
        except NotLoadedError as error:
            try:
                parameter = self._read(injector, patience, decrypt=False)
            except NotLoadedError:
                raise error from None
            return replace(parameter, text="", problem=error)

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
            parameters = self._read_all(names, name, patience, decrypt=True)
            return tuple(_to_parameter(each, name=name) for each in parameters)
        except MissingError:
            raise
        except NotLoadedError as error:
            # If one version cannot be decrypted, the request fails for all versions.
            parameters = self._read_all(names, name, patience, decrypt=False)
            return tuple(_to_parameter(each, error, name=name) for each in parameters)

    def injectors(self, patience: RetryBudget) -> tuple[str, ...]:
        """Return the injectors that have a policy of the type String, as podgraft writes it.

        The filter omits the caller documents, which are of the type SecureString.
        """
        arguments: dict[str, JSON] = {
            "Path": self.prefix,
            "Recursive": True,
            "ParameterFilters": [{"Key": "Type", "Option": "Equals", "Values": ["String"]}],
        }
        found = [each.get("Name", "") for each in self._read_path(arguments, patience)]
        names = (
            name.removeprefix(f"{self.prefix}/").removesuffix(f"/{POLICY}")
            for name in found
            if name.endswith(f"/{POLICY}")
        )
        return tuple(filter(is_injector, names))

    def callers(self, patience: RetryBudget) -> Mapping[str, Parameter]:
        """Return the caller documents by cluster; raises as ``call_with_retries``."""
        folder = f"{self.prefix}/{CALLERS}/"
        arguments: dict[str, JSON] = {"Path": folder.rstrip("/"), "WithDecryption": True}
        return {
            each.get("Name", "").removeprefix(folder): _to_parameter(each)
            for each in self._read_path(arguments, patience)
        }

    def pointers(
        self, patience: RetryBudget, versions: Sequence[int] = ()
    ) -> tuple[Parameter, ...]:
        """Return the newest version of the pointer of the registry, or earlier *versions* of it.

        None if the parameter, or the version, does not exist. This is one request.
        """
        name = f"{self.prefix}/{POINTER}"
        names: list[JSON] = [f"{name}:{version}" for version in versions] or [name]
        arguments: dict[str, JSON] = {"Names": names}
        found = self._call("GetParameters", arguments, f"parameter {name}", patience)
        return tuple(_to_parameter(each, name=name) for each in found["Parameters"])

    def _policy_name(self, injector: str) -> str:
        return f"{self.prefix}/{policy_name(injector)}"

    def _read_path(
        self, arguments: Mapping[str, JSON], patience: RetryBudget
    ) -> Iterator[Mapping[str, Any]]:
        """Read the parameters of a path; Parameter Store returns ten per page."""
        item = f"parameters {arguments['Path']}/"
        while True:
            page = self._call("GetParametersByPath", arguments, item, patience)
            yield from page["Parameters"]
            if not page.get("NextToken"):
                return
            arguments = {**arguments, "NextToken": page["NextToken"]}

    def _read(self, injector: str, patience: RetryBudget, *, decrypt: bool = True) -> Parameter:
        name, denied_name = self._policy_name(injector), f"{self.prefix}/{DENIED}"
        brakes = [f"{self.prefix}/{each}" for each in (brake_name(injector), brake_name())]
        names: list[JSON] = [name, denied_name, *brakes]
        arguments: dict[str, JSON] = {"Names": names, "WithDecryption": decrypt}
        response = self._call("GetParameters", arguments, f"parameter {name}", patience)
        parameters = {each.get("Name"): each for each in response["Parameters"]}
        denied = parameters.get(denied_name, {}).get("Value", "")
        if name not in parameters:
            problem = f"reading parameter {name}: not found (ParameterNotFound)"
            raise MissingPolicyError(problem, denied)
        return replace(
            _to_parameter(parameters[name], name=name),
            denied=denied,
            brakes=tuple(
                parameters[each].get("Value", "") for each in brakes if each in parameters
            ),
        )

    def _read_all(
        self, names: Sequence[JSON], name: str, patience: RetryBudget, *, decrypt: bool
    ) -> Sequence[Mapping[str, Any]]:
        arguments: dict[str, JSON] = {"Names": list(names), "WithDecryption": decrypt}
        item = f"earlier versions of parameter {name}"
        return self._call("GetParameters", arguments, item, patience)["Parameters"]

    def _call(
        self, operation: str, arguments: Mapping[str, JSON], item: str, patience: RetryBudget
    ) -> Mapping[str, Any]:
        """Return a complete response. botocore parses truncated JSON as an empty response."""

        def request(seconds: float) -> Mapping[str, Any]:
            response = self.client(operation, arguments, seconds)
            if "Parameters" not in response:
                raise ConnectionError("the response is incomplete")
            return response

        return call_with_retries(f"reading {item}", request, patience)


def _to_parameter(
    response: Mapping[str, Any], encrypted: NotLoadedError | None = None, *, name: str = ""
) -> Parameter:
    """Convert a parameter; *encrypted* is the error if a SecureString was not decrypted."""
    version = str(response.get("Version", 0))
    if encrypted is not None and response.get("Type") == "SecureString":
        return Parameter("", version, encrypted, name)
    stored = response.get("LastModifiedDate")
    stored_at = stored.timestamp() if isinstance(stored, datetime) else 0.0
    return Parameter(response.get("Value", ""), version, None, name, stored_at=stored_at)
