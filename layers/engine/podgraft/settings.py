"""The function's environment, read once: impossible values stop it, all faults at once.

==============================  ==============  ================================================
variable                        default         value
==============================  ==============  ================================================
``PODGRAFT_STACK``              ``podgraft``    the name of the stack: ``service`` of log lines,
                                                metrics and traces
``PODGRAFT_STORE``              ``aws``         ``aws``, or ``file:<folder>``; off Lambda there
                                                is no default
``PODGRAFT_BUCKET``             none            the bucket that holds the bundles; ``aws`` only
``PODGRAFT_BUNDLE_PREFIX``      ``bundles/``    what their keys begin with
``PODGRAFT_PARAMETER_PREFIX``   ``/<stack>``    where policies and callers are stored
``PODGRAFT_AUTH``               ``token``       ``token``, ``mtls``; ``none`` for local use only
``PODGRAFT_REFRESH_SECONDS``    30              how long ``aws`` is not asked again, 1 to 3600
``PODGRAFT_AWS_CLIENT``         ``auto``        ``auto`` asks AWS directly where that is known to do
                                                (``store/aws/http_client.py``); ``botocore`` never
``POWERTOOLS_TRACE_DISABLED``   ``true``        ``false`` on Lambda sends segments to X-Ray
==============================  ==============  ================================================

Lambda itself says that it is there (``AWS_LAMBDA_FUNCTION_NAME``), and whether anybody waits for
the start (``AWS_LAMBDA_INITIALIZATION_TYPE``).
"""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from podgraft.lazy_dataclass import dataclass
from podgraft.lazy_re import lazy_compile
from podgraft.store import AwsStoreConfig, FolderStoreConfig, StoreConfig

_PREFIX = "PODGRAFT_"
# Variables of the build and of the tests, which may share an environment with the function.
_BUILD_VARIABLES = frozenset(
    {"ARCHITECTURE", "CORPUS", "E2E_BUILDS", "E2E_TOOLS", "LIVE_ORACLE", "RUNTIME"}
)
_NAMES = (
    "STACK",
    "STORE",
    "BUCKET",
    "BUNDLE_PREFIX",
    "PARAMETER_PREFIX",
    "AUTH",
    "REFRESH_SECONDS",
    "AWS_CLIENT",
)
# What Lambda sets in every function, and nobody else.
_ON_LAMBDA = "AWS_LAMBDA_FUNCTION_NAME"
# How Lambda starts it; a variable of its own too.
_INITIALIZATION_TYPE_VARIABLE = "AWS_LAMBDA_INITIALIZATION_TYPE"
_ON_DEMAND = "on-demand"
# Powertools' own switch, which its Tracer reads too.
_TRACE_DISABLED_VARIABLE = "POWERTOOLS_TRACE_DISABLED"

# What CloudFormation accepts as the name of a stack.
_STACK = lazy_compile(r"[A-Za-z][A-Za-z0-9-]{0,127}")
_BUCKET = lazy_compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_BUNDLE_PREFIX = lazy_compile(r"([^/]+/)*")
_PARAMETER_PREFIX = lazy_compile(r"(/[A-Za-z0-9_.-]+)+")
_MAX_REFRESH_SECONDS = 3600
_BOTOCORE = "botocore"
_CLIENTS = ("auto", _BOTOCORE)


DEFAULT_STACK = "podgraft"


class Auth(StrEnum):
    """How callers prove which cluster they are."""

    TOKEN = "token"  # noqa: S105  a word of the settings
    MTLS = "mtls"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the environment says; ``on_lambda``: that Lambda made it, ``traced``: for X-Ray,
    ``ahead``: before anybody waits for it (provisioned concurrency, SnapStart). ``stack`` is the
    name that separates the logs, metrics, and parameters of two deployments.
    """

    store_config: StoreConfig
    auth: Auth
    stack: str = DEFAULT_STACK
    on_lambda: bool = False
    tracing_enabled: bool = False
    priming_enabled: bool = False


class SettingsError(ValueError):
    """The environment is impossible; ``faults`` names every variable that is."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("environment: " + "; ".join(faults))
        self.errors = faults


def parse_settings(environment: Mapping[str, str]) -> Settings:
    """Read every variable that begins with ``PODGRAFT_``; raises ``SettingsError``."""
    variables = _Environment(environment)
    variables.check_unknown()
    auth = variables.parse_choice("AUTH", tuple(Auth))
    stack = variables.parse_matching(
        "STACK", DEFAULT_STACK, _STACK, "the name of a CloudFormation stack"
    )
    backing = _parse_store(variables, stack)
    if variables.faults:
        raise SettingsError(tuple(variables.faults))
    return Settings(
        backing,
        Auth(auth),
        stack=stack,
        on_lambda=variables.is_on_lambda(),
        tracing_enabled=variables.is_tracing_enabled(),
        priming_enabled=variables.is_priming_enabled(),
    )


class _Environment:
    """The variables as given, and what was found wrong with them."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self.faults: list[str] = []

    def check_unknown(self) -> None:
        """A misspelt name would otherwise leave a default in force unnoticed."""
        for name in sorted(self._environment):
            if name.startswith(_PREFIX) and name.removeprefix(_PREFIX) not in {
                *_NAMES,
                *_BUILD_VARIABLES,
            }:
                names = ", ".join(_PREFIX + names for names in _NAMES)
                self.faults.append(f"{name}: is unknown; known: {names}")

    def get(self, name: str, default: str) -> str:
        return self._environment.get(_PREFIX + name, default)

    def is_on_lambda(self) -> bool:
        return _ON_LAMBDA in self._environment

    def is_tracing_enabled(self) -> bool:
        return self.is_on_lambda() and self._environment.get(_TRACE_DISABLED_VARIABLE) == "false"

    def is_priming_enabled(self) -> bool:
        return (
            self.is_on_lambda()
            and self._environment.get(_INITIALIZATION_TYPE_VARIABLE, _ON_DEMAND) != _ON_DEMAND
        )

    def parse_matching(
        self, name: str, default: str, pattern: re.Pattern[str], expected: str
    ) -> str:
        value = self.get(name, default)
        if not pattern.fullmatch(value):
            self.add_error(name, value, expected)
        return value

    def parse_choice(self, name: str, choices: Sequence[str]) -> str:
        """One of *words*, the first by default."""
        value = self.get(name, choices[0])
        if value not in choices:
            self.add_error(name, value, ", ".join(choices))
        return value

    def add_error(self, name: str, value: str, expected: str) -> None:
        self.faults.append(f"{_PREFIX}{name}: got {value!r}; use {expected}")


def _parse_store(variables: _Environment, stack: str) -> StoreConfig:
    store = variables.get("STORE", "aws" if variables.is_on_lambda() else "")
    if store == "aws":
        return _parse_aws(variables, stack)
    path = Path(store.removeprefix("file:"))
    if not store.startswith("file:") or store == "file:":
        variables.add_error("STORE", store, "aws or file:<folder>")
    elif not path.is_dir():
        variables.add_error("STORE", store, "a folder that exists")
    return FolderStoreConfig(path)


def _parse_aws(variables: _Environment, stack: str) -> AwsStoreConfig:
    return AwsStoreConfig(
        bucket=variables.parse_matching("BUCKET", "", _BUCKET, "the name of the bucket of bundles"),
        bundle_prefix=variables.parse_matching(
            "BUNDLE_PREFIX", "bundles/", _BUNDLE_PREFIX, "a prefix that ends with /, or nothing"
        ),
        parameter_prefix=variables.parse_matching(
            "PARAMETER_PREFIX", f"/{stack}", _PARAMETER_PREFIX, "a path that begins with /"
        ),
        refresh_seconds=_parse_refresh_seconds(variables),
        botocore=variables.parse_choice("AWS_CLIENT", _CLIENTS) == _BOTOCORE,
    )


def _parse_refresh_seconds(variables: _Environment) -> int:
    value = variables.get("REFRESH_SECONDS", "30")
    if value.isascii() and value.isdigit() and 1 <= int(value) <= _MAX_REFRESH_SECONDS:
        return int(value)
    variables.add_error("REFRESH_SECONDS", value, f"whole seconds from 1 to {_MAX_REFRESH_SECONDS}")
    return 0
