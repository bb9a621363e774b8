"""Stacks of podgraft in AWS: their outputs, and which of them owns a parameter prefix.

A stack creates the parameter ``PREFIX/stack`` (``PrefixOwner`` in template.yaml). It names the
stack and its bucket, so a command can refuse a prefix that belongs to another stack, or to none.
"""

import json
import shlex
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec
from msgspec import Struct

from podgraft.base import system
from podgraft.core import policy
from podgraft.core.signing.signature import InvalidKeyError
from podgraft.core.signing.verifier import Verifier, make_verifier
from podgraft.core.versions.overrides import find_overrides

from .aws_options import make_session
from .failure import CommandError, convert_errors, raise_findings
from .parameter_values import find_references

DEFAULT_BUNDLE_PREFIX = "bundles/"
DEFAULT_REFRESH_SECONDS = 30
# A function with this number of documents reads groups of clusters in a policy.
GROUP_DOCUMENTS = 2
LARGE_DOCUMENTS = 3  # and overrides in a bundle


class AwsError(CommandError):
    """A request to AWS failed."""


class AbsentError(AwsError):
    """The requested resource does not exist."""


class ExistsError(AwsError):
    """The resource to create already exists."""


# A status such as 404 without a code is not an answer of AWS, but of a proxy.
_KINDS: Mapping[str, type[AwsError]] = {
    "ParameterNotFound": AbsentError,
    "ParameterAlreadyExists": ExistsError,
    # CloudFormation's code for an unknown stack.
    "ValidationError": AbsentError,
}
_NO_AWS = "check the proxy of the network, and AWS_ENDPOINT_URL"
# Remedies for the codes of AWS that occur often.
_CODE_REMEDIES: Mapping[str, str] = {
    "NoSuchBucket": "use --config stack:NAME",
    "ExpiredTokenException": "sign in again, for example with aws sso login",
    "ExpiredToken": "sign in again, for example with aws sso login",
    "UnrecognizedClientException": "check the credentials and the region",
    "InvalidAccessKeyId": "check the credentials and the region",
    "ParameterMaxVersionLimitExceeded": "remove the label of the oldest version of the parameter",
}


class Stack(Struct, frozen=True, kw_only=True):
    """Where a deployed stack has its policies, tokens, and bundles.

    ``name`` is set if an option names the stack, and ``verifier`` is that of its function, if the
    stack is known and verifies signatures. ``census`` is the bucket of recorded workloads; empty
    without one.
    """

    name: str | None = None
    bucket: str
    bundle_prefix: str
    parameter_prefix: str
    verifier: Verifier | None = None
    census: str = ""


class Owner(Struct, frozen=True, kw_only=True, rename="camel"):
    """The stack that reads a parameter prefix, as ``PREFIX/stack`` names it.

    Stacks of earlier versions name no ``log_group`` and no ``guard``. ``documents`` is the number
    of the documents that the function reads: from 2 on, the registry, tokens that end, and groups;
    from 3 on, overrides of a large policy.
    """

    stack: str
    bucket: str
    bundle_prefix: str
    log_group: str = ""
    guard: str = ""
    documents: int = 1


_CLIENT_LOCK = system.make_lock()


def make_client(service: str, region: str | None = None) -> Any:
    """A client of one service, in the account and region of the command line or environment."""
    remedy = "check --profile, --region, and the AWS configuration"
    with aws_errors("AWS", remedy=remedy), _CLIENT_LOCK:
        return make_session().client(service, region_name=region)


def lookup_stack(name: str) -> Stack:
    """Return the stack *name* by its outputs; raises ``CommandError`` if it is not podgraft's."""
    outputs, parameters = _describe_stack(name, "BundleBucket", "ParameterPrefix")
    # Stacks of earlier versions have no output for it.
    default = parameters.get("BundlePrefix", DEFAULT_BUNDLE_PREFIX)
    return Stack(
        name=name,
        bucket=outputs["BundleBucket"],
        bundle_prefix=outputs.get("BundlePrefix", default),
        parameter_prefix=outputs["ParameterPrefix"],
        verifier=_parse_verifier(name, parameters),
        census=outputs.get("CensusBucket", ""),
    )


def lookup_endpoint(name: str) -> str:
    """Return the URL of the endpoint of the stack *name*; raises ``CommandError`` as above."""
    return _describe_stack(name, "Endpoint")[0]["Endpoint"]


def lookup_refresh_seconds(name: str) -> int:
    """Return after how many seconds the function of a stack reads its callers again."""
    try:
        _, parameters = _describe_stack(name)
    except AbsentError:  # of Terraform
        parameters = {}
    text = parameters.get("RefreshSeconds", "")
    return int(text) if text.isdecimal() else DEFAULT_REFRESH_SECONDS


def _describe_stack(name: str, *required: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the outputs and the parameters of a stack that has all *required* outputs."""
    client = make_client("cloudformation")
    remedy = f"check the name in --config, and the region, {client.meta.region_name}"
    with aws_errors(f"stack {name}", remedy=remedy):
        description = client.describe_stacks(StackName=name)["Stacks"][0]
    outputs = {
        each["OutputKey"]: each.get("OutputValue", "") for each in description.get("Outputs", [])
    }
    parameters = {
        each["ParameterKey"]: each.get("ParameterValue", "")
        for each in description.get("Parameters", [])
    }
    missing = [key for key in required if not outputs.get(key)]
    if missing:
        raise CommandError(
            f"stack {name}: output {missing[0]} is missing; name a stack of podgraft"
        )
    return outputs, parameters


def find_alias(name: str) -> str | None:
    """Return the ARN of the alias of a stack; None if no stack of CloudFormation has it.

    Terraform makes no stack.
    """
    try:
        return _describe_stack(name)[0].get("FunctionAlias")
    except AbsentError:
        return None


def check_alias(client: Any, alias: str) -> None:
    """Raise ``CommandError`` while an alias routes to two versions; *client* is that of Lambda."""
    function, _, name = alias.rpartition(":")
    with aws_errors(f"alias {alias}", remedy="add the permission lambda:GetAlias"):
        response: Any = client.get_alias(FunctionName=function, Name=name)
    routing: Any = response.get("RoutingConfig") or {}
    weights: dict[str, float] = routing.get("AdditionalVersionWeights") or {}
    shares = [f"{weight:.0%} to version {version}" for version, weight in sorted(weights.items())]
    if shares:
        raise CommandError(
            f"alias {alias}: routes {', '.join(shares)}, because a deployment of the function is "
            "in progress; wait until it ends"
        )


def _parse_verifier(name: str, parameters: Mapping[str, str]) -> Verifier | None:
    """Return the verifier of the function of a stack; ``None`` if it verifies no signatures."""
    keys = parameters.get("SignerPublicKey", "")
    if not keys:
        return None
    with convert_errors(InvalidKeyError, place=f"stack {name}: parameter SignerPublicKey"):
        return make_verifier(keys, is_required=parameters.get("RequireSignature") == "true")


def owner_parameter(parameter_prefix: str) -> str:
    """The name of the parameter that names the owner of a prefix."""
    return f"{parameter_prefix}/stack"


def find_owner(ssm: Any, parameter_prefix: str) -> Owner | None:
    """Return the owner of a prefix, or None if no stack owns it; *ssm* is a client of the service.

    Programs type the client by the calls that they make.
    """
    name = owner_parameter(parameter_prefix)
    try:
        with aws_errors(f"parameter {name}"):
            text = ssm.get_parameter(Name=name)["Parameter"].get("Value", "")
        return msgspec.json.decode(text, type=Owner)
    except AbsentError:
        return None
    except msgspec.DecodeError as error:
        raise CommandError(
            f"parameter {name}: must be a JSON object with stack, bucket, and bundlePrefix; "
            "deploy the stack again"
        ) from error


def require_owner(ssm: Any, parameter_prefix: str) -> Owner:
    """As ``find_owner``; raises ``CommandError`` without an owner: nothing reads the parameters."""
    owner = find_owner(ssm, parameter_prefix)
    if owner is None:
        raise no_owner_error(parameter_prefix)
    return owner


def check_reader(owner: Owner, document: str) -> None:
    """Raise ``CommandError`` for a policy that the function of the stack cannot read.

    A function of an earlier version rejects unknown keys: a running one keeps the earlier version,
    and a new one fails.
    """
    newer = {"groups": GROUP_DOCUMENTS} if _has_groups(document) else {}
    if find_overrides(document) is not None:
        newer["overrides"] = LARGE_DOCUMENTS
    for key, number in newer.items():
        if owner.documents < number:
            raise CommandError(
                f"/{key}: the function of stack {owner.stack} reads no {key}; deploy the stack "
                "with this version of podgraft first"
            )


def _has_groups(document: str) -> bool:
    try:
        return bool(policy.parse(document).groups)
    except policy.PolicyError:
        return False  # rollout abort stores an invalid document again


def no_owner_error(parameter_prefix: str, bucket: str = "BUCKET") -> CommandError:
    """Return the error for a prefix without a stack: no function would read its parameters."""
    name = owner_parameter(parameter_prefix)
    value = json.dumps({"stack": "NAME", "bucket": bucket, "bundlePrefix": DEFAULT_BUNDLE_PREFIX})
    command = f"aws ssm put-parameter --type String --name {name} --value {shlex.quote(value)}"
    return CommandError(
        f"parameter {name}: not found, so no stack is known to read {parameter_prefix}; check the "
        f"prefix, or deploy the stack with this version of template.yaml; for functions that no "
        f"stack of podgraft deployed: {command}"
    )


@contextmanager
def aws_errors(
    location: str, *, sent: str = "", remedy: str = "", absent: str = ""
) -> Generator[None]:
    """Raise botocore's errors with the place they are about, and without the text that was *sent*.

    *remedy* goes with a refusal of the service. *absent* is the code of the service for a resource
    that does not exist, if it is one that other requests use for other resources.
    """
    # Commands that do not call AWS, such as policy check, work without its SDK.
    from botocore.exceptions import BotoCoreError, ClientError  # of the extra aws
    from botocore.parsers import ResponseParserError

    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code") or ""
        if not code or code.isdecimal() or code == "unknown":
            status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", "")
            raise AwsError(
                f"{location}: got HTTP {status} without an error code of AWS; {_NO_AWS}"
            ) from error
        problem = error.response.get("Error", {}).get("Message", "")
        if sent:
            problem = problem.replace(sent, "…")
        remedy = _CODE_REMEDIES.get(code, remedy)
        end = f"; {remedy}" if remedy else ""
        kind = AbsentError if code == absent else _KINDS.get(code, AwsError)
        raise kind(f"{location}: {code}: {problem}{end}") from error
    except BotoCoreError as error:
        problem = str(error).rstrip(".")
        raise AwsError(f"{location}: {problem}; {_find_remedy(error) or remedy}") from error
    except ResponseParserError as error:  # its text is the page of a proxy
        raise AwsError(f"{location}: got a response without XML or JSON; {_NO_AWS}") from error
    except KeyError as error:  # botocore returns a truncated response without its fields
        raise AwsError(f"{location}: the response has no {error}; run the command again") from error


def put_parameter(client: Any, name: str, value: str, **arguments: object) -> dict[str, Any]:
    """Write a parameter, and return the response; raises ``CommandError`` without the value.

    Every write of a command uses this function, because Parameter Store rejects some values.
    """
    location = f"parameter {name}"
    raise_findings(find_references(location, value))
    with aws_errors(location, sent=value):
        return client.put_parameter(Name=name, Value=value, **arguments)


# botocore's errors state a problem, but no remedy.
_REMEDIES: Mapping[str, str] = {
    "NoRegionError": "set --region, AWS_REGION, or region in podgraft.toml",
    "NoCredentialsError": "sign in with aws sso login or aws configure, or set --profile",
    "PartialCredentialsError": "complete the AWS credentials of the profile or environment",
    "CredentialRetrievalError": "sign in again, for example with aws sso login",
    "TokenRetrievalError": "sign in again with aws sso login",
    "SSOTokenLoadError": "sign in again with aws sso login",
    "UnauthorizedSSOTokenError": "sign in again with aws sso login",
    "ProfileNotFound": "check --profile; aws configure list-profiles prints the profiles",
    "EndpointConnectionError": "check the region, the network, and the proxy",
    "ConnectTimeoutError": "check the network and the proxy, then run the command again",
    "ReadTimeoutError": "run the command again",
    "ParamValidationError": "correct the option",
}


def _find_remedy(error: Exception) -> str:
    names = (class_.__name__ for class_ in type(error).__mro__)
    found = next((_REMEDIES[name] for name in names if name in _REMEDIES), "")
    return found or "correct this, then run the command again"
