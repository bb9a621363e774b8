"""A model of Parameter Store: versions, names, pages, and the one condition of a write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .responses import AwsError

PAGE = 10  # parameters of a page
KEPT = 100  # versions of a parameter
STANDARD_BYTES = 4096
ARN = "arn:aws:iam::111122223333:user/"


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a parameter."""

    number: int
    value: str
    type: str
    time: float
    author: str
    description: str
    tier: str


class ParameterModel:
    """The parameters of one region. *lag* is the age in seconds that a read can have."""

    def __init__(self, start_seconds: float) -> None:
        self.parameters: dict[str, list[Version]] = {}
        self._start_seconds = start_seconds

    def newest(self, name: str) -> Version | None:
        """Return the newest version of a parameter."""
        versions = self.parameters.get(name)
        return versions[-1] if versions else None

    def call(self, operation: str, given: dict[str, Any], now: float, author: str) -> Any:
        """Return the response of an operation; raises ``AwsError``."""
        handler = getattr(self, f"_{operation}", None)
        if handler is None:
            raise NotImplementedError(f"ssm:{operation}")
        return handler(given, now, author)

    def read_versions(self, names: list[str], now: float, lag: float) -> list[dict[str, Any]]:
        """Return the named parameters, as they were *lag* seconds ago."""
        found = [(name, self._find(name, now - lag)) for name in names]
        return [self._describe(name, version) for name, version in found if version]

    def _find(self, name: str, time: float) -> Version | None:
        base, colon, number = name.partition(":")
        versions = self.parameters.get(base, [])
        if colon:
            return next((each for each in versions if str(each.number) == number), None)
        visible = [each for each in versions if each.time <= time]
        return visible[-1] if visible else (versions[0] if versions else None)

    def _describe(self, name: str, version: Version) -> dict[str, Any]:
        return {
            "Name": name.partition(":")[0],
            "Type": version.type,
            "Value": version.value,
            "Version": version.number,
            "LastModifiedDate": self._start_seconds + version.time,
        }

    def _GetParameters(self, given: dict[str, Any], now: float, _author: str) -> Any:  # noqa: N802
        names: list[str] = given["Names"]
        if len(names) > PAGE:
            raise AwsError("ValidationException")
        found = self.read_versions(names, now, given.get("_lag", 0.0))
        _check_keys(found, given)
        known = {each["Name"] for each in found}
        missing = [name for name in names if name.partition(":")[0] not in known]
        return {"Parameters": found, "InvalidParameters": missing}

    def _GetParameter(self, given: dict[str, Any], now: float, _author: str) -> Any:  # noqa: N802
        found = self.read_versions([given["Name"]], now, 0.0)
        if not found:
            raise AwsError("ParameterNotFound")
        return {"Parameter": found[0]}

    def _GetParametersByPath(self, given: dict[str, Any], now: float, _author: str) -> Any:  # noqa: N802
        folder = given["Path"].rstrip("/") + "/"
        names = [
            name
            for name in sorted(self.parameters)
            if name.startswith(folder)
            and (given.get("Recursive") or "/" not in name.removeprefix(folder))
            and self._matches(name, given.get("ParameterFilters", []))
        ]
        start = int(given.get("NextToken", "0"))
        page = names[start : start + PAGE]
        response: dict[str, Any] = {
            "Parameters": self.read_versions(page, now, given.get("_lag", 0.0))
        }
        _check_keys(response["Parameters"], given)
        if start + PAGE < len(names):
            response["NextToken"] = str(start + PAGE)
        return response

    def _matches(self, name: str, filters: list[dict[str, Any]]) -> bool:
        newest = self.parameters[name][-1]
        return all(newest.type in each["Values"] for each in filters if each["Key"] == "Type")

    def _GetParameterHistory(self, given: dict[str, Any], _now: float, _author: str) -> Any:  # noqa: N802
        versions = self.parameters.get(given["Name"])
        if not versions:
            raise AwsError("ParameterNotFound")
        start = int(given.get("NextToken", "0"))
        limit = int(given.get("MaxResults", 50))
        response: dict[str, Any] = {
            "Parameters": [
                {
                    **self._describe(given["Name"], each),
                    "LastModifiedUser": ARN + each.author,
                    "Description": each.description,
                    "Tier": each.tier,
                }
                for each in versions[start : start + limit]
            ]
        }
        if start + limit < len(versions):
            response["NextToken"] = str(start + limit)
        return response

    def _PutParameter(self, given: dict[str, Any], now: float, author: str) -> Any:  # noqa: N802
        name, value = given["Name"], given["Value"]
        versions = self.parameters.get(name, [])
        if versions and not given.get("Overwrite"):
            raise AwsError("ParameterAlreadyExists")
        tier = given.get("Tier", "Standard")
        if len(value.encode()) > STANDARD_BYTES and tier == "Standard":
            raise AwsError("ValidationException")
        number = versions[-1].number + 1 if versions else 1
        kind = given.get("Type") or (versions[-1].type if versions else "String")
        description = given.get("Description", versions[-1].description if versions else "")
        version = Version(number, value, kind, now, author, description, tier)
        self.parameters[name] = [*versions, version][-KEPT:]
        return {"Version": number, "Tier": tier}

    def _DeleteParameter(self, given: dict[str, Any], _now: float, _author: str) -> Any:  # noqa: N802
        if self.parameters.pop(given["Name"], None) is None:
            raise AwsError("ParameterNotFound")
        return {}


def _check_keys(found: list[dict[str, Any]], given: dict[str, Any]) -> None:
    """Fail as AWS if a SecureString cannot be decrypted: its key is disabled, or not allowed."""
    is_disabled = given.get("_undecryptable") and given.get("WithDecryption")
    if is_disabled and any(each["Type"] == "SecureString" for each in found):
        raise AwsError("AccessDeniedException")
