"""The Terraform module as its tests read it: resources, generated files, and variables."""

import json
from collections.abc import Mapping
from typing import Any, cast

import pytest

import sam_template
from layers.cloudformation import TEMPLATE, Rendering
from terraform.templates import FOLDER
from terraform_module import name_condition, name_variable, render_files

hcl2 = pytest.importorskip("hcl2")

FILES = render_files(sam_template.read_template())
# The resource of the module for each resource of template.yaml. Alarms are in alarms.json.tftpl,
# and saved queries in queries.json.tftpl.
COUNTERPARTS = {
    "AlarmsMayInvoke": "aws_lambda_permission.guard",
    "Api": "aws_apigatewayv2_api.webhook",
    "ApiLogs": "aws_cloudwatch_log_group.api",
    "ApiMayInvoke": "aws_lambda_permission.api",
    "ApiThrottles": "aws_cloudwatch_log_metric_filter.api_throttles",
    "Bundles": "aws_s3_bucket.bundles",
    "BundlesPolicy": "aws_s3_bucket_policy.bundles",
    "CensusRecords": "aws_s3_bucket.census",
    "Cleanup": "aws_lambda_function.cleanup",
    "CleanupLogs": "aws_cloudwatch_log_group.cleanup",
    "CleanupRole": "aws_iam_role.cleanup",
    "CleanupSchedule": "aws_cloudwatch_event_rule.cleanup",
    "CleanupScheduleMayInvoke": "aws_lambda_permission.cleanup",
    "CensusRecordsPolicy": "aws_s3_bucket_policy.census",
    "ClusterSchedule": "aws_cloudwatch_event_rule.watch",
    "ClusterScheduleMayInvoke": "aws_lambda_permission.watch",
    "Dashboard": "aws_cloudwatch_dashboard.webhook",
    "DependenciesLayer": "aws_lambda_layer_version.dependencies",
    "Domain": "aws_apigatewayv2_domain_name.webhook",
    "DomainMapping": "aws_apigatewayv2_api_mapping.webhook",
    "EngineLayer": "aws_lambda_layer_version.engine",
    "Guard": "aws_lambda_function.guard",
    "GuardLogs": "aws_cloudwatch_log_group.guard",
    "GuardRole": "aws_iam_role.guard",
    "HealthCheck": "aws_route53_health_check.webhook",
    "HealthRoute": "aws_apigatewayv2_route.webhook",
    "Integration": "aws_apigatewayv2_integration.webhook",
    "PingRoute": "aws_apigatewayv2_route.webhook",
    "PrivateApi": "aws_api_gateway_rest_api.private",
    "PrivateApiMayInvoke": "aws_lambda_permission.private_api",
    "PolicyWriteRule": "aws_cloudwatch_event_rule.policy_writes",
    "PrefixOwner": "aws_ssm_parameter.prefix_owner",
    "ReadyRoute": "aws_apigatewayv2_route.webhook",
    "ReviewRoute": "aws_apigatewayv2_route.webhook",
    "ReviewSchedule": "aws_cloudwatch_event_rule.watch",
    "ReviewScheduleMayInvoke": "aws_lambda_permission.watch",
    "Record": "aws_route53_record.webhook",
    "Rotation": "aws_lambda_function.rotation",
    "RotationLogs": "aws_cloudwatch_log_group.rotation",
    "RotationRole": "aws_iam_role.rotation",
    "RotationSchedule": "aws_cloudwatch_event_rule.rotation",
    "RotationScheduleMayInvoke": "aws_lambda_permission.rotation",
    "Stage": "aws_apigatewayv2_stage.webhook",
    "Watch": "aws_lambda_function.watch",
    "WatchLogs": "aws_cloudwatch_log_group.watch",
    "WatchRole": "aws_iam_role.watch",
    "Webhook": "aws_lambda_function.webhook",
    "WebhookLogs": "aws_cloudwatch_log_group.webhook",
    "WebhookRole": "aws_iam_role.webhook",
}
# Resources of the module for parts of one resource of the template.
PARTS = {
    "aws_api_gateway_deployment.private",
    "aws_api_gateway_method_settings.private",
    "aws_api_gateway_stage.private",
    "aws_cloudwatch_event_target.cleanup",
    "aws_cloudwatch_event_target.policy_writes",
    "aws_cloudwatch_event_target.rotation",
    "aws_cloudwatch_event_target.watch",
    "aws_cloudwatch_metric_alarm.webhook",
    "aws_cloudwatch_query_definition.webhook",
    "aws_iam_role_policy.cleanup",
    "aws_iam_role_policy.guard",
    "aws_iam_role_policy.rotation",
    "aws_iam_role_policy.census",
    "aws_iam_role_policy.tracing",
    "aws_iam_role_policy.without_census",
    "aws_iam_role_policy.watch",
    "aws_iam_role_policy.webhook",
    "aws_lambda_alias.live",
    "aws_lambda_provisioned_concurrency_config.live",
    "aws_s3_bucket_lifecycle_configuration.bundles",
    "aws_s3_bucket_lifecycle_configuration.census",
    "aws_s3_bucket_ownership_controls.bundles",
    "aws_s3_bucket_ownership_controls.census",
    "aws_s3_bucket_public_access_block.bundles",
    "aws_s3_bucket_public_access_block.census",
    "aws_s3_bucket_server_side_encryption_configuration.bundles",
    "aws_s3_bucket_server_side_encryption_configuration.census",
    "aws_s3_bucket_versioning.bundles",
}
STACKS: tuple[Mapping[str, Any], ...] = (
    {},
    {
        "Census": "true",
        "Tracing": "Active",
        "ParameterPrefix": "/team/podgraft",
        "BundlePrefix": "b/",
    },
    {
        "Auth": "mtls",
        "DomainName": "a.example",
        "CertificateArn": "arn:c",
        "TruststoreUri": "s3://a/b",
        "TruststoreVersion": "v1",
        "AlarmTopicArn": "arn:topic",
        "LatencyAlarmMilliseconds": 500,
        "SilentClusterHours": 6,
        "SyntheticReviews": "istio=inject,logging=skip",
    },
    {
        "DomainName": "a.example",
        "CertificateArn": "arn:c",
        "ClusterMetrics": "false",
        "DnsRecord": "primary",
        "HostedZoneId": "Z1",
    },
    {"SilentClusterHours": 0, "StartMode": "provisioned", "CodeSigningConfigArn": "arn:s"},
    {"PermissionsBoundaryArn": "arn:aws:iam::123456789012:policy/boundary"},
    {"KmsKeyArn": "arn:aws:kms:eu-central-1:123456789012:key/a", "Census": "true"},
    {"VpcEndpointIds": ["vpce-0a1b2c3d", "vpce-4e5f6a7b"], "PublicEndpoint": "false"},
    {"TokenRotationDays": 60, "LogRetentionDays": 14},
)
# Without gradual deployments, which need CloudFormation.
RESOURCES = {
    name: each
    for name, each in TEMPLATE["Resources"].items()
    if each.get("Condition") not in sam_template.SAM_CONDITIONS
}
IN_TEMPLATES = {"AWS::CloudWatch::Alarm", "AWS::Logs::QueryDefinition"}


def strip_quotes(value: Any) -> Any:
    """The document of hcl2 without the quotes of its strings, and without its marks."""
    match value:
        case dict():
            return {
                key.strip('"'): strip_quotes(each)
                for key, each in cast("dict[str, Any]", value).items()
                if key not in {"__is_block__", "__comments__"}
            }
        case list():
            return [strip_quotes(each) for each in cast("list[Any]", value)]
        case str():
            return value.strip('"').replace('\\"', '"')
        case _:
            return value


def strip_marks(value: Mapping[str, Any]) -> dict[str, Any]:
    """A block without the quotes of the keys of its maps."""
    return {key: strip_quotes(each) for key, each in value.items()}


_DOCUMENTS = [strip_quotes(hcl2.loads(path.read_text())) for path in sorted(FOLDER.glob("*.tf"))]


def read_resources() -> dict[str, Any]:
    """Each resource of the module by its address."""
    return {
        f"{kind}.{name}": body
        for document in _DOCUMENTS
        for resource in document.get("resource", ())
        for kind, names in resource.items()
        for name, body in names.items()
    }


MODULE = read_resources()
LOCALS: dict[str, Any] = {
    name: value
    for document in _DOCUMENTS
    for block in document.get("locals", ())
    for name, value in block.items()
}


def find_conditions(stack: Rendering) -> dict[str, bool]:
    """Whether each condition of the template is true for a stack, by its name in the module."""
    names = TEMPLATE["Conditions"].keys() - {
        *sam_template.SAM_CONDITIONS,
        sam_template.SAM_HASH_CONDITION,
    }
    return {name_condition(name): stack.holds(name) for name in names}


def make_variables(stack: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What the module sets for its templates, with the names of ``Rendering``."""
    defaults: dict[str, Any] = {
        name: [] if each["Type"] == "CommaDelimitedList" else each["Default"]
        for name, each in TEMPLATE["Parameters"].items()
    }
    values = {**defaults, **parameters}
    return {
        **{f"var_{name_variable(name)}": value for name, value in values.items()},
        **find_conditions(Rendering(TEMPLATE, stack, parameters)),
        "account_id": "accountid",
        "alias_arn": f"{stack}-Webhook.Alias",
        "api_endpoint": f"{stack}-Api.ApiEndpoint",
        "api_id": f"{stack}-Api",
        "api_log_group": f"{stack}-ApiLogs",
        "bucket": f"{stack}-Bundles",
        "bucket_arn": f"{stack}-Bundles.Arn",
        "census_bucket": f"{stack}-CensusRecords",
        "census_bucket_arn": f"{stack}-CensusRecords.Arn",
        "cleanup_log_group_arn": f"{stack}-CleanupLogs.Arn",
        "cleanup_name": f"{stack}-Cleanup",
        "function_arn": f"{stack}-Webhook.Arn",
        "function_name": f"{stack}-Webhook",
        "guard_arn": f"{stack}-Guard.Arn",
        "guard_log_group_arn": f"{stack}-GuardLogs.Arn",
        "guard_name": f"{stack}-Guard",
        "log_group": f"{stack}-WebhookLogs",
        "log_group_arn": f"{stack}-WebhookLogs.Arn",
        "name": stack,
        "parameter_prefix": values["ParameterPrefix"] or f"/{stack}",
        "partition": "partition",
        "region": "region",
        "rotation_log_group_arn": f"{stack}-RotationLogs.Arn",
        "rotation_name": f"{stack}-Rotation",
        "watch_log_group": f"{stack}-WatchLogs",
        "watch_log_group_arn": f"{stack}-WatchLogs.Arn",
    }


def to_text(value: Any) -> Any:
    """Numbers as text: CloudFormation and Terraform convert both."""
    match value:
        case dict():
            return {key: to_text(each) for key, each in cast("dict[str, Any]", value).items()}
        case list():
            return [to_text(each) for each in cast("list[Any]", value)]
        case bool():
            return value
        case _:
            return str(value)


def select_alarms(conditions: Mapping[str, bool]) -> set[str]:
    """The alarms that the module creates: the keys of its ``for_each``."""
    each = MODULE["aws_cloudwatch_metric_alarm.webhook"]["for_each"]
    assert "local.alarm_conditions : name if" in each
    found = json.loads(FILES["variables.tf.json"])["locals"]["alarm_conditions"]
    references = {f"${{local.conditions.{name}}}": value for name, value in conditions.items()}
    return {name for name, value in found.items() if value is True or references[value]}
