"""docs/deployer.json allows what the resource types of the template declare, and nothing else.

The source is the ``handlers`` of the resource schemas of CloudFormation, which cfn-lint contains.
"""

import json
import re
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import botocore.session
import pytest
from cfnlint import schema as schemas  # pyright: ignore[reportMissingTypeStubs]

from layers.cloudformation import TEMPLATE

ROOT = Path(__file__).parents[2]
STATEMENTS: list[Any] = json.loads((ROOT / "docs" / "deployer.json").read_text())["Statement"]
# What the transform of SAM makes of functions, layers, and the private API.
SAM_TYPES = {
    "AWS::ApiGateway::Deployment",
    "AWS::ApiGateway::RestApi",
    "AWS::ApiGateway::Stage",
    "AWS::CodeDeploy::Application",
    "AWS::CodeDeploy::DeploymentGroup",
    "AWS::Lambda::Alias",
    "AWS::Lambda::Function",
    "AWS::Lambda::LayerVersion",
    "AWS::Lambda::Version",
}
# Declared actions of features that the template does not use, by pattern.
UNUSED = (
    *("ec2:*", "elasticfilesystem:*", "s3files:*", "kms:*", "firehose:*", "s3tables:*"),
    *("s3:*Abac", "s3:*Analytics*", "s3:*CORS", "s3:*Cors", "s3:*Inventory*", "s3:*Metrics*"),
    *("s3:*Notification", "s3:*Replication*", "s3:*Website", "s3:*Accelerate*", "s3:*Acl"),
    *("s3:*ObjectLock*", "s3:*Logging", "s3:*IntelligentTiering*", "s3:*Metadata*"),
    *("s3:REST.PUT.OBJECT", "s3:DeleteBucketEncryption", "s3:DeleteBucketLifecycle"),
    *("lambda:PutRuntimeManagementConfig", "lambda:PutFunctionRecursionConfig"),
    *("lambda:PutFunctionScalingConfig", "lambda:PassCapacityProvider"),
    *("lambda:AssociateRuntimeAlias", "codedeploy:RegisterOnPremisesInstance"),
    *("logs:DeleteDataProtectionPolicy", "logs:PutDataProtectionPolicy"),
    "logs:*BearerTokenAuthentication",
    *("logs:PutIndexPolicy", "logs:DeleteIndexPolicy", "logs:PutLogGroupDeletionProtection"),
    "route53-recovery-control-config:DescribeRoutingControl",
    "route53:ListHostedZones",  # for a record with the name of its zone
    "logs:DeleteResourcePolicy",  # would end the logs of other stacks
)
# Handlers that no deployment calls: CloudFormation lists resources for imports only.
CALLED = ("create", "read", "update", "delete")
# Actions that no resource type declares, and who calls them.
FURTHER = {
    "cloudformation:*": "SAM CLI",
    "iam:CreateServiceLinkedRole": "API Gateway, for the first domain of an account",
    "s3:GetBucketLocation": "SAM CLI",
    "s3:PutObject": "SAM CLI, for uploads",
    "logs:*LogDelivery": "API Gateway, for the access log",
    "logs:ListLogDeliveries": "API Gateway, for the access log",
    "apigateway:UntagResource": "tags of the stack that are removed",
}
# Actions of a service with ARNs for which the service authorization reference has no resource.
UNRESTRICTED = {"codedeploy:StopDeployment"}
ARN = re.compile(r"arn:aws:[a-z0-9]+:(REGION)?:(ACCOUNT|aws)?:\S+")


@cache
def list_declared() -> frozenset[str]:
    used = {each["Type"] for each in TEMPLATE["Resources"].values()}
    kinds = {kind for kind in used if not kind.startswith("AWS::Serverless")} | SAM_TYPES
    manager: Any = schemas.PROVIDER_SCHEMA_MANAGER
    read = [manager.get_resource_schema("us-east-1", kind).schema for kind in kinds]
    declared = {
        action
        for schema in read
        for name, handler in schema["handlers"].items()
        if name in CALLED
        for action in handler["permissions"]
    }
    return frozenset({each.replace("s3:getObject", "s3:GetObject") for each in declared})


def matches(action: str, patterns: Any) -> bool:
    return any(fnmatchcase(action, pattern) for pattern in patterns)


def list_allowed() -> set[str]:
    return {action for each in STATEMENTS for action in each["Action"]}


def test_each_declared_action_is_allowed_or_of_an_unused_feature() -> None:
    missing = {each for each in list_declared() - list_allowed() if not matches(each, UNUSED)}
    assert missing == set()


def test_each_allowed_action_is_declared_or_has_a_caller() -> None:
    unknown = {each for each in list_allowed() - list_declared() if not matches(each, FURTHER)}
    assert unknown == set()


def test_no_unused_action_is_allowed_and_each_exception_is_needed() -> None:
    assert not {each for each in list_allowed() if matches(each, UNUSED)}
    for pattern in UNUSED:
        assert any(matches(each, [pattern]) for each in list_declared()), pattern
    for pattern in FURTHER:
        assert any(matches(each, [pattern]) for each in list_allowed()), pattern


def test_the_deployer_may_use_a_code_signing_configuration_for_a_function() -> None:
    """The service authorization reference requires both resources for this action."""
    action = "lambda:PutFunctionCodeSigningConfig"
    resources = [each["Resource"] for each in STATEMENTS if action in each["Action"]]
    kinds = {arn.split(":")[5] for arns in resources for arn in arns}
    assert kinds == {"function", "code-signing-config"}


def test_each_api_is_a_resource_of_the_deployer() -> None:
    """An action of API Gateway is an HTTP method. The path names the kind of resource."""
    [statement] = [each for each in STATEMENTS if each["Sid"] == "Apis"]
    paths = ("apis/a/stages", "domainnames/a.example", "restapis", "restapis/a/stages", "tags/arn")
    arns = [f"arn:aws:apigateway:REGION::/{path}" for path in paths]
    assert all(matches(each, statement["Resource"]) for each in arns)
    assert all(any(matches(each, [pattern]) for each in arns) for pattern in statement["Resource"])


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda each: each["Sid"])
def test_each_statement_is_of_one_service_and_narrow(statement: Any) -> None:
    assert len({action.partition(":")[0] for action in statement["Action"]}) == 1
    assert all("*" not in action for action in statement["Action"])
    if statement["Resource"] == "*":
        narrowest = {"ReadTemplates", "AccessLog", "HealthChecks", "StopDeployments"}
        assert statement["Sid"] in narrowest
        return
    assert not UNRESTRICTED.intersection(statement["Action"])
    for resource in statement["Resource"]:
        assert ARN.fullmatch(resource) or resource.startswith("arn:aws:apigateway:REGION::/")


def test_the_actions_of_services_with_plain_names_exist() -> None:
    """Most actions have the name of an operation; API Gateway has those of HTTP methods."""
    session: Any = botocore.session.get_session()
    for service in ("cloudformation", "cloudwatch", "codedeploy", "events", "lambda", "ssm", "iam"):
        operations = set(session.get_service_model(service).operation_names)
        allowed = {each.partition(":")[2] for each in list_allowed() if each.startswith(service)}
        assert allowed <= operations | {"PassRole"}, service


def test_it_fits_into_two_managed_policies() -> None:
    """A managed policy has at most 6,144 characters without spaces."""
    sizes = [len(json.dumps(each, separators=(",", ":"))) for each in STATEMENTS]
    assert 6144 < sum(sizes) < 2 * 6000
    assert max(sizes) < 2000
