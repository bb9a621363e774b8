"""Each call of each function to AWS has a statement in its role, and each statement has a call.

The calls are read from the source: the operations of the services whose clients a function makes.
``template.yaml`` and the Terraform module are compared alike.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import Any, cast

import botocore.session
import pytest
from botocore import xform_name

from layers.cloudformation import TEMPLATE, Rendering
from podgraft.base.jsonvalue import JSON
from podgraft.core.versions.errors import StoreError
from podgraft.service.store.aws.census import BucketCensus
from podgraft.service.store.aws.client import Listing, RetryBudget
from podgraft.service.store.aws.registry import RegistryReader
from podgraft.service.store.aws.s3 import BundleReader
from podgraft.service.store.aws.ssm import ParameterReader

ROOT = Path(__file__).parents[2]
# The source of each function. Only this package of the engine uses the network.
SOURCES = {
    "Webhook": "layers/engine/podgraft/service/store/aws",
    "Watch": "functions/watch",
    "Guard": "functions/guard",
    "Probe": "functions/probe",
    "Cleanup": "functions/cleanup",
}
# The rotation is a command: test_template.py lists its statements.
FUNCTIONS = (*SOURCES, "Rotation")
ALL = {
    "Census": "true",
    "GradualDeployment": "true",
    "TokenRotationDays": "60",
    "Tracing": "Active",
}
# Actions with another name than the operation, by the service authorization reference.
ACTIONS = {"s3:ListObjectsV2": "s3:ListBucket", "lambda:Invoke": "lambda:InvokeFunction"}
# Actions without a call in the source: the runtime of Lambda writes the log of each function.
RUNTIME = frozenset({"logs:CreateLogStream", "logs:PutLogEvents"})
# S3 calls KMS with the permissions of its caller: test_template.py compares them.
ENCRYPTION = frozenset({"kms:Decrypt", "kms:GenerateDataKey"})
# With tracing, the X-Ray daemon of Lambda calls these.
TRACING = frozenset(
    {
        "xray:GetSamplingRules",
        "xray:GetSamplingTargets",
        "xray:PutTelemetryRecords",
        "xray:PutTraceSegments",
    }
)
# The files of the module with the statements of each role; it has no gradual deployments.
TERRAFORM = {
    "Webhook": "permissions",
    "Watch": "watch_permissions",
    "Guard": "guard_permissions",
    "Cleanup": "cleanup_permissions",
}


def list_operations(service: str) -> Iterator[tuple[str, str]]:
    """The action of each operation of a service, by its method and by its name."""
    model: Any = botocore.session.get_session().get_service_model(service)
    for name in model.operation_names:
        action = f"{service}:{name}"
        for key in (xform_name(name), name):
            yield key, ACTIONS.get(action, action)


def find_words(tree: ast.AST) -> Iterator[tuple[str, bool]]:
    """Each called attribute and each argument of text, and whether a call makes a client of it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            yield name, False
            for argument in node.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument.value, name in {"client", "create_client"}


def find_calls(function: str) -> set[str]:
    """The actions that a function needs."""
    trees = [ast.parse(path.read_text()) for path in (ROOT / SOURCES[function]).glob("*.py")]
    words = [word for tree in trees for word in find_words(tree)]
    clients = {word for word, is_client in words if is_client}
    assert clients
    operations = dict(chain.from_iterable(list_operations(each) for each in clients))
    return {operations[word] for word, _ in words if word in operations}


def find_statements(function: str, parameters: Mapping[str, Any]) -> list[Any]:
    role = Rendering(TEMPLATE, "dev", parameters).resources[f"{function}Role"]
    policies = role["Properties"]["Policies"]
    return [each for policy in policies for each in policy["PolicyDocument"]["Statement"]]


def find_terraform_statements(function: str) -> list[Any]:
    path = ROOT / "deploy" / "terraform" / f"{TERRAFORM[function]}.json.tftpl"
    return [
        each for policy in json.loads(path.read_text()).values() for each in policy["Statement"]
    ]


def find_allowed(statements: list[Any]) -> set[str]:
    return (
        {action for each in statements if each["Effect"] == "Allow" for action in each["Action"]}
        - RUNTIME
        - ENCRYPTION
    )


def test_each_function_is_listed() -> None:
    kinds = {name: each["Type"] for name, each in TEMPLATE["Resources"].items()}
    assert {name for name, kind in kinds.items() if kind == "AWS::Serverless::Function"} == {
        *FUNCTIONS
    }
    assert {name for name, kind in kinds.items() if kind == "AWS::IAM::Role"} == {
        "DeploymentRole",  # of CodeDeploy
        *(f"{name}Role" for name in FUNCTIONS),
    }


@pytest.mark.parametrize("function", SOURCES)
def test_each_call_has_a_statement_and_each_statement_a_call(function: str) -> None:
    calls = find_calls(function) | (TRACING if function == "Webhook" else frozenset[str]())
    assert find_allowed(find_statements(function, ALL)) == calls


@pytest.mark.parametrize("function", TERRAFORM)
def test_each_call_has_a_statement_of_the_terraform_module(function: str) -> None:
    calls = find_calls(function) | (TRACING if function == "Webhook" else frozenset[str]())
    assert find_allowed(find_terraform_statements(function)) == calls


@pytest.mark.parametrize("function", FUNCTIONS)
def test_each_function_may_write_its_own_log_only(function: str) -> None:
    [statement] = [each for each in find_statements(function, ALL) if RUNTIME & {*each["Action"]}]
    assert {*statement["Action"]} == RUNTIME
    assert statement["Resource"] == f"dev-{function}Logs.Arn"


# Resources: each request of the webhook, by the code that sends it.
Request = tuple[str, str, str]
PREFIX = "arn:partition:ssm:region:accountid:parameter"


class RecordedAws:
    """Parameter Store and S3, which record the action and the resource of each request."""

    def __init__(self) -> None:
        self.requests: list[Request] = []

    def __call__(
        self, operation: str, arguments: Mapping[str, JSON], seconds: float
    ) -> Mapping[str, Any]:
        del seconds
        names = cast("list[str]", arguments.get("Names") or [arguments["Path"]])
        self.requests += [(f"ssm:{operation}", f"{PREFIX}{name}", "") for name in names]
        found = names if operation == "GetParameters" else []
        return {"Parameters": [{"Name": name, "Value": "", "Version": 1} for name in found]}

    def keys(self, bucket: str, prefix: str, limit: int, seconds: float) -> Listing:
        del limit, seconds
        self.requests.append(("s3:ListBucket", bucket, prefix))
        return Listing(keys=(f"{prefix}mesh.yaml",), size=1, is_complete=True)

    def read(self, bucket: str, key: str, seconds: float) -> bytes:
        del seconds
        self.requests.append(("s3:GetObject", f"{bucket}/{key}", ""))
        return b""

    def put_object(self, bucket: str, key: str, content: bytes, seconds: float) -> None:
        del content, seconds
        self.requests.append(("s3:PutObject", f"{bucket}/{key}", ""))


def record_requests() -> list[Request]:
    """Every request that the stores of the webhook can send, for a stack with the name dev."""
    aws, patience = RecordedAws(), RetryBudget.from_seconds(60)
    parameters = ParameterReader(aws, "/dev")
    parameters.policy("istio", patience)
    parameters.policy_versions("istio", (1, 2), patience)
    parameters.injectors(patience)
    parameters.callers(patience)
    parameters.pointers(patience)
    parameters.pointers(patience, (1, 2))
    with suppress(StoreError):  # the recorded object is empty
        RegistryReader(parameters, aws, "dev-Bundles.Arn").callers(f"sha256:{0:064}", patience)
    with suppress(StoreError):  # the recorded bundle is empty
        BundleReader(aws, "dev-Bundles.Arn", "bundles/").files("istio", f"sha256:{0:064}", patience)
    census = BucketCensus(aws, aws, "dev-CensusRecords.Arn", "/dev")
    census.read_key("istio", 1.0)
    census.put_record("istio/2026-W48/prod/default/1.json", b"", 1.0)
    return aws.requests


def as_list(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else value


def is_covered(statement: Any, resource: str, request: Request) -> bool:
    action, wanted, prefix = request
    listed = statement.get("Condition", {}).get("StringLike", {}).get("s3:prefix", ["*"])
    return (
        action in statement["Action"]
        and fnmatchcase(wanted, resource)
        and any(fnmatchcase(prefix, each) for each in listed)
    )


def test_each_resource_of_the_webhook_is_needed_and_each_needed_one_allowed() -> None:
    requests = record_requests()
    statements = [
        each
        for each in find_statements("Webhook", {"Census": "true"})
        if each["Effect"] == "Allow" and not RUNTIME & {*each["Action"]}
    ]
    resources = [(each, resource) for each in statements for resource in as_list(each["Resource"])]
    for request in requests:
        assert any(is_covered(*each, request) for each in resources), request
    for statement, resource in resources:
        used = any(is_covered(statement, resource, request) for request in requests)
        assert used, f"{statement['Sid']}: {resource}"


@pytest.mark.parametrize("census", ["true", "false"])
def test_only_a_stack_with_a_census_can_use_its_keys(census: str) -> None:
    """``GetParametersByPath`` reads all levels below a path, and a denial does not stop it."""
    key = f"{PREFIX}/dev/istio/census-key"
    statements = find_statements("Webhook", {"Census": census})
    reads = [each for each in statements if "ssm:GetParameters" in each["Action"]]
    can_read = any(
        fnmatchcase(key, resource) for each in reads for resource in as_list(each["Resource"])
    )
    denied = [
        pattern
        for each in statements
        if each["Effect"] == "Deny" and each["Action"] == ["kms:Decrypt"]
        for pattern in each["Condition"]["StringLike"]["kms:EncryptionContext:PARAMETER_ARN"]
    ]
    assert can_read is (census == "true")
    assert any(fnmatchcase(key, pattern) for pattern in denied) is (census == "false")
    for name in ("auth/prod-eu", "callers", "istio/policy", "denied", "brake"):
        assert not any(fnmatchcase(f"{PREFIX}/dev/{name}", pattern) for pattern in denied)


def test_a_statement_without_a_call_and_a_call_without_a_statement_are_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """This table itself can fail."""
    source = (ROOT / "functions/guard/guard.py").read_text()
    (tmp_path / "guard.py").write_text(
        re.sub(r"ssm\.get_parameter\(", "ssm.delete_parameter(", source)
    )
    monkeypatch.setitem(SOURCES, "Guard", str(tmp_path))
    difference = find_calls("Guard") ^ find_allowed(find_statements("Guard", ALL))
    assert difference == {"ssm:DeleteParameter", "ssm:GetParameter"}
