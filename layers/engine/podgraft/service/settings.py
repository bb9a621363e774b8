"""The settings of the function, from environment variables. All errors are reported at once.

==============================  ==============  ================================================
variable                        default         value
==============================  ==============  ================================================
``PODGRAFT_STACK``              ``podgraft``    name of the stack: ``service`` of log lines,
                                                metrics, and traces
``PODGRAFT_RELEASE``            none            parameters of the deployment; not read: Lambda
                                                publishes only a function that differs
``PODGRAFT_STORE``              ``aws``         ``aws``, or ``file:<folder>``; required outside of
                                                Lambda
``PODGRAFT_BUCKET``             none            bucket of the bundles; ``aws`` only
``PODGRAFT_BUNDLE_PREFIX``      ``bundles/``    key prefix of the bundles
``PODGRAFT_PARAMETER_PREFIX``   ``/<stack>``    prefix of the parameters of policies and callers
``PODGRAFT_AUTH``               ``token``       ``token``, ``mtls``; ``none`` for local tests only
``PODGRAFT_REFRESH_SECONDS``    30              refresh interval of ``aws``, 1 to 3600
``PODGRAFT_SIGNER``             none            one or two public keys: PEM, or base64 text; the
                                                function verifies signatures of policies
``PODGRAFT_REQUIRE_SIGNATURE``  ``false``       ``true`` rejects unsigned policies; it requires
                                                ``PODGRAFT_SIGNER``
``PODGRAFT_CLUSTER_METRICS``    ``auto``        ``true`` on Lambda adds metrics by ``cluster`` and
                                                ``injector``, ``false`` none, and ``auto`` those
                                                by ``group`` above 20 registered clusters
``PODGRAFT_CENSUS``             none            bucket of recorded workloads; ``file:<folder>`` with
                                                ``PODGRAFT_STORE=file:<folder>``
``POWERTOOLS_TRACE_DISABLED``   ``true``        ``false`` on Lambda sends segments to X-Ray
==============================  ==============  ================================================

Lambda sets ``AWS_LAMBDA_FUNCTION_NAME``, and the kind of the start in
``AWS_LAMBDA_INITIALIZATION_TYPE``.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from podgraft.service.store import AwsStoreConfig, FolderStoreConfig, StoreConfig

if TYPE_CHECKING:
    from podgraft.core.signing.verifier import Verifier

_PREFIX = "PODGRAFT_"
# Variables of the build and of the tests, which can share an environment with the function.
_BUILD_VARIABLES = frozenset(
    {"ARCHITECTURE", "CORPUS", "E2E_BUILDS", "E2E_TOOLS", "LIVE_ORACLE", "RUNTIME"}
)
_NAMES = (
    "STACK",
    "RELEASE",
    "STORE",
    "BUCKET",
    "BUNDLE_PREFIX",
    "PARAMETER_PREFIX",
    "AUTH",
    "REFRESH_SECONDS",
    "SIGNER",
    "REQUIRE_SIGNATURE",
    "CLUSTER_METRICS",
    "CENSUS",
)
# Lambda sets this variable in every function.
_ON_LAMBDA = "AWS_LAMBDA_FUNCTION_NAME"
# The kind of the start; Lambda sets it, too.
_INITIALIZATION_TYPE_VARIABLE = "AWS_LAMBDA_INITIALIZATION_TYPE"
_ON_DEMAND = "on-demand"
# The switch of Powertools, which its Tracer also reads.
_TRACE_DISABLED_VARIABLE = "POWERTOOLS_TRACE_DISABLED"

# The names of stacks that CloudFormation accepts.
_STACK = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,127}")
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_BUNDLE_PREFIX = re.compile(r"([^/]+/)*")
_PARAMETER_PREFIX = re.compile(r"(/[A-Za-z0-9_.-]+)+")
_MAX_REFRESH_SECONDS = 3600


DEFAULT_STACK = "podgraft"
# CloudWatch bills four metrics for each cluster and injector.
METRIC_CLUSTERS = {"auto": 20, "true": sys.maxsize, "false": 0}


class Auth(StrEnum):
    """The authentication mode of callers."""

    TOKEN = "token"  # noqa: S105  a value of the settings
    MTLS = "mtls"
    NONE = "none"


class Settings(Struct, frozen=True):
    """The settings.

    ``stack`` separates the logs, metrics, and parameters of two deployments. ``tracing_enabled``
    sends segments to X-Ray. ``priming_enabled`` is set with provisioned concurrency or SnapStart.
    ``verifier`` verifies the signatures of policies. ``metric_clusters`` is the largest number
    of registered clusters with which metrics have the dimensions of the cluster and the injector.
    """

    store_config: StoreConfig
    auth: Auth
    stack: str = DEFAULT_STACK
    on_lambda: bool = False
    tracing_enabled: bool = False
    priming_enabled: bool = False
    verifier: "Verifier | None" = None
    metric_clusters: int = METRIC_CLUSTERS["auto"]


class SettingsError(ValueError):
    """Invalid environment variables; ``errors`` contains a message for each."""

    def __init__(self, errors: tuple[str, ...]) -> None:
        super().__init__("environment: " + "; ".join(errors))
        self.errors = errors


def parse_settings(environment: Mapping[str, str]) -> Settings:
    """Parse every variable with the prefix ``PODGRAFT_``; raises ``SettingsError``."""
    variables = _Environment(environment)
    variables.check_unknown()
    auth = variables.parse_choice("AUTH", tuple(Auth))
    stack = variables.parse_matching(
        "STACK", DEFAULT_STACK, _STACK, "the name of a CloudFormation stack"
    )
    on_lambda = _ON_LAMBDA in environment
    backing = _parse_store(variables, stack, "aws" if on_lambda else "")
    verifier = _parse_verifier(variables)
    cluster_metrics = variables.parse_choice("CLUSTER_METRICS", tuple(METRIC_CLUSTERS))
    if variables.errors:
        raise SettingsError(tuple(variables.errors))
    return Settings(
        backing,
        Auth(auth),
        stack=stack,
        on_lambda=on_lambda,
        tracing_enabled=on_lambda and environment.get(_TRACE_DISABLED_VARIABLE) == "false",
        priming_enabled=on_lambda
        and environment.get(_INITIALIZATION_TYPE_VARIABLE, _ON_DEMAND) != _ON_DEMAND,
        verifier=verifier,
        metric_clusters=METRIC_CLUSTERS[cluster_metrics],
    )


class _Environment:
    """The environment variables, and the errors in them."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self.errors: list[str] = []

    def check_unknown(self) -> None:
        """Report unknown variables: a misspelled name would silently have no effect."""
        for name in sorted(self._environment):
            if name.startswith(_PREFIX) and name.removeprefix(_PREFIX) not in {
                *_NAMES,
                *_BUILD_VARIABLES,
            }:
                names = ", ".join(_PREFIX + names for names in _NAMES)
                self.errors.append(f"{name}: unknown variable; use one of: {names}")

    def get(self, name: str, default: str) -> str:
        return self._environment.get(_PREFIX + name, default)

    def parse_matching(
        self, name: str, default: str, pattern: re.Pattern[str], expected: str
    ) -> str:
        value = self.get(name, default)
        if not pattern.fullmatch(value):
            self.add_error(name, value, expected)
        return value

    def parse_choice(self, name: str, choices: Sequence[str]) -> str:
        """Return one of *choices*, the first by default."""
        value = self.get(name, choices[0])
        if value not in choices:
            self.add_error(name, value, ", ".join(choices))
        return value

    def add_error(self, name: str, value: str, expected: str) -> None:
        self.errors.append(f"{_PREFIX}{name}: got {value!r}; use {expected}")


def _parse_store(variables: _Environment, stack: str, default: str) -> StoreConfig:
    store = variables.get("STORE", default)
    if store == "aws":
        return _parse_aws(variables, stack)
    path = Path(store.removeprefix("file:"))
    if not store.startswith("file:") or store == "file:":
        variables.add_error("STORE", store, "aws or file:<folder>")
    elif not path.is_dir():
        variables.add_error("STORE", store, "an existing folder")
    return FolderStoreConfig(path, _parse_census_folder(variables))


def _parse_census_folder(variables: _Environment) -> Path | None:
    census = variables.get("CENSUS", "")
    folder = census.removeprefix("file:")
    if not census:
        return None
    if not census.startswith("file:") or not folder:
        variables.add_error("CENSUS", census, "file:<folder>")
    return Path(folder)


def _parse_census_bucket(variables: _Environment) -> str:
    bucket = variables.get("CENSUS", "")
    if bucket and not _BUCKET.fullmatch(bucket):
        variables.add_error("CENSUS", bucket, "the name of the bucket of the census")
    return bucket


def _parse_verifier(variables: _Environment) -> "Verifier | None":
    text = variables.get("SIGNER", "")
    is_required = variables.parse_choice("REQUIRE_SIGNATURE", ("false", "true")) == "true"
    if not text.strip():
        if is_required:
            variables.errors.append(
                f"{_PREFIX}SIGNER: is missing; set the public key, or set "
                f"{_PREFIX}REQUIRE_SIGNATURE=false"
            )
        return None
    from podgraft.core.signing.signature import InvalidKeyError
    from podgraft.core.signing.verifier import make_verifier

    try:
        return make_verifier(text, is_required=is_required)
    except InvalidKeyError as error:
        variables.errors.append(f"{_PREFIX}SIGNER: {error}")
        return None


def _parse_aws(variables: _Environment, stack: str) -> AwsStoreConfig:
    return AwsStoreConfig(
        bucket=variables.parse_matching(
            "BUCKET", "", _BUCKET, "the name of the bucket with the bundles"
        ),
        bundle_prefix=variables.parse_matching(
            "BUNDLE_PREFIX",
            "bundles/",
            _BUNDLE_PREFIX,
            "an empty value, or a prefix that ends with /",
        ),
        parameter_prefix=variables.parse_matching(
            "PARAMETER_PREFIX", f"/{stack}", _PARAMETER_PREFIX, "a path that starts with /"
        ),
        refresh_seconds=_parse_refresh_seconds(variables),
        census=_parse_census_bucket(variables),
    )


def _parse_refresh_seconds(variables: _Environment) -> int:
    value = variables.get("REFRESH_SECONDS", "30")
    if value.isascii() and value.isdigit() and 1 <= int(value) <= _MAX_REFRESH_SECONDS:
        return int(value)
    variables.add_error("REFRESH_SECONDS", value, f"an integer from 1 to {_MAX_REFRESH_SECONDS}")
    return 0
