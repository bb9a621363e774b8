"""template.yaml: what the stack may do, keeps private and refuses."""

import re
from typing import Any

import pytest

from build_layer import OPERATIONS
from layers.cloudformation import TEMPLATE

# The permission of each call, where it is not of the call's own name (service authorization
# reference of S3 and Systems Manager).
PERMISSIONS = {"ListObjectsV2": "ListBucket"}


RESOURCES: dict[str, Any] = TEMPLATE["Resources"]


def resources_of_type(kind: str) -> dict[str, Any]:
    """The properties of all resources of a type."""
    return {
        name: each.get("Properties", {})
        for name, each in RESOURCES.items()
        if each["Type"] == f"AWS::{kind}"
    }


def statements() -> list[dict[str, Any]]:
    """Everything that the function's role allows, tracing too."""
    plain, tracing = RESOURCES["WebhookRole"]["Properties"]["Policies"]
    traced = tracing["If"][1]
    return [each for policy in (plain, traced) for each in policy["PolicyDocument"]["Statement"]]


def test_the_function_may_do_what_it_calls_and_write_its_log() -> None:
    called = {
        f"{service}:{PERMISSIONS.get(operation, operation)}"
        for service, operations in OPERATIONS.items()
        for operation in operations
    }
    written = {
        *("logs:CreateLogStream", "logs:PutLogEvents"),
        *("xray:PutTraceSegments", "xray:PutTelemetryRecords"),
    }
    assert {action for each in statements() for action in each["Action"]} == called | written


def test_it_may_do_so_to_its_own_parameters_prefix_and_log_only() -> None:
    resources = {each["Sid"]: each["Resource"] for each in statements()}
    place = "arn:${AWS::Partition}:ssm:${AWS::Region}:${AWS::AccountId}:parameter${Prefix}"
    prefix = {
        "If": ["HasParameterPrefix", {"Ref": "ParameterPrefix"}, {"Sub": "/${AWS::StackName}"}]
    }

    def below(path: str) -> dict[str, Any]:
        return {"Sub": [f"{place}{path}", {"Prefix": prefix}]}

    assert resources == {
        # With a version too: earlier ones are read by name and version.
        "ReadPolicies": [below("/*/policy"), below("/*/policy:*"), below("/denied")],
        "ReadTokenHashes": [below("/auth"), below("/auth/*")],
        "ListBundles": {"GetAtt": "Bundles.Arn"},
        "ReadBundles": {"Sub": "${Bundles.Arn}/${BundlePrefix}*"},
        "WriteLogs": {"GetAtt": "WebhookLogs.Arn"},
        "WriteTraces": "*",  # X-Ray knows no resources
    }
    [listing] = [each for each in statements() if each["Sid"] == "ListBundles"]
    assert listing["Condition"] == {"StringLike": {"s3:prefix": [{"Sub": "${BundlePrefix}*"}]}}
    assert RESOURCES["Webhook"]["Properties"]["Role"] == {"GetAtt": "WebhookRole.Arn"}


def test_the_bucket_is_versioned_encrypted_private_and_spoken_to_by_tls_only() -> None:
    [bucket] = resources_of_type("S3::Bucket").values()
    assert bucket["VersioningConfiguration"] == {"Status": "Enabled"}
    assert bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    [policy] = resources_of_type("S3::BucketPolicy").values()
    [denied] = policy["PolicyDocument"]["Statement"]
    assert (denied["Effect"], denied["Principal"], denied["Action"]) == ("Deny", "*", "s3:*")
    assert denied["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_no_log_holds_a_path_and_every_log_ends() -> None:
    [stage] = resources_of_type("ApiGatewayV2::Stage").values()
    logged = set(re.findall(r"\$context\.([\w.]+)", stage["AccessLogSettings"]["Format"]))
    assert "routeKey" in logged
    assert logged.isdisjoint({"path", "http.path", "customDomain.basePathMatched"})
    groups = resources_of_type("Logs::LogGroup")
    assert len(groups) == 2
    assert all(each["RetentionInDays"] == {"Ref": "LogRetentionDays"} for each in groups.values())


@pytest.mark.parametrize(
    "metric",
    [
        "sidecar_injection_failure_total",
        "Errors",
        "Duration",
        "Throttles",
        "policy_refused_total",
        "snapshot_age_seconds",
        "authentication_failure_total",
    ],
)
def test_alarms_start_when(metric: str) -> None:
    [alarm] = [
        each
        for each in resources_of_type("CloudWatch::Alarm").values()
        if each["MetricName"] == metric
    ]
    assert alarm["AlarmActions"]["If"][:2] == ["HasTopic", [{"Ref": "AlarmTopicArn"}]]
    assert alarm.get("ExtendedStatistic") == ("p99" if metric == "Duration" else None)


def test_what_aws_would_refuse_or_break_is_refused_before() -> None:
    """Each rule names the parameters that it is about."""
    assert set(TEMPLATE["Rules"]) == {
        "DomainNeedsCertificate",
        "MutualTlsNeedsDomainAndTruststore",
        "SignatureNeedsKey",
        "SnapStartNeedsRuntime",
        "TruststoreNeedsDomain",
    }
    for name, rule in TEMPLATE["Rules"].items():
        assert all(each["AssertDescription"] for each in rule["Assertions"]), name


def test_an_imported_certificate_can_be_used_with_mutual_tls() -> None:
    [domain] = resources_of_type("ApiGatewayV2::DomainName").values()
    [configuration] = domain["DomainNameConfigurations"]
    assert configuration["OwnershipVerificationCertificateArn"]["If"][:2] == [
        "HasOwnershipCertificate",
        {"Ref": "OwnershipVerificationCertificateArn"},
    ]
    assert domain["MutualTlsAuthentication"]["If"][0] == "HasTruststore"
    # Else its own address would be the way around client certificates.
    [api] = resources_of_type("ApiGatewayV2::Api").values()
    assert api["DisableExecuteApiEndpoint"] == {"If": ["HasTruststore", True, False]}
