"""template.yaml: what the stack may do, keeps private and refuses."""

import json
import re
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, cast

import pytest

from layers.cloudformation import TEMPLATE, Rendering, find_refusals
from podgraft.base.jsonvalue import JSON
from podgraft.service.http.candidate_metrics import CandidateMetric
from podgraft.service.http.metrics import find_source, list_by_group

RESOURCES: dict[str, Any] = TEMPLATE["Resources"]


def resources_of_type(kind: str) -> dict[str, Any]:
    """The properties of all resources of a type."""
    return {
        name: each.get("Properties", {})
        for name, each in RESOURCES.items()
        if each["Type"] == f"AWS::{kind}"
    }


def statements() -> list[dict[str, Any]]:
    """Everything that the function's role allows, with the census and tracing too."""
    plain, *conditional = RESOURCES["WebhookRole"]["Properties"]["Policies"]
    assert [each["If"][0] for each in conditional] == [
        *("Recorded", "HasKmsKey", "IsRecordedWithKmsKey", "Unrecorded", "Traced")
    ]
    policies = (plain, *(each["If"][1] for each in conditional))
    return [each for policy in policies for each in policy["PolicyDocument"]["Statement"]]


def test_the_watch_may_invoke_the_webhook_read_its_log_and_write_its_own() -> None:
    [policy] = RESOURCES["WatchRole"]["Properties"]["Policies"]
    allowed = {
        each["Sid"]: (each["Action"], each["Resource"])
        for each in policy["PolicyDocument"]["Statement"]
    }
    assert allowed == {
        "InvokeWebhook": (["lambda:InvokeFunction"], {"Ref": "Webhook.Alias"}),
        "ReadLog": (
            ["logs:StartQuery", "logs:GetQueryResults"],
            {"GetAtt": "WebhookLogs.Arn"},
        ),
        "WriteLogs": (["logs:CreateLogStream", "logs:PutLogEvents"], {"GetAtt": "WatchLogs.Arn"}),
    }
    rules = {
        name: each
        for name, each in resources_of_type("Events::Rule").items()
        if "ScheduleExpression" in each
    }
    allowed_rules = {
        each["SourceArn"]["GetAtt"].removesuffix(".Arn")
        for each in resources_of_type("Lambda::Permission").values()
        if each["Principal"] == "events.amazonaws.com"
    }
    assert rules.keys() == allowed_rules
    inputs = {
        json.loads(target["Input"])["check"]
        for name, rule in rules.items()
        if name not in {"CleanupSchedule", "RotationSchedule"}
        for target in rule["Targets"]
    }
    assert inputs == {"reviews", "clusters"}


@pytest.mark.parametrize(
    ("parameters", "endpoint", "hours"),
    [
        ({}, "dev-Api.ApiEndpoint", 24),
        ({"DomainName": "a.example", "CertificateArn": "arn"}, "https://a.example", 24),
        (
            {"DomainName": "a.example", "CertificateArn": "arn", "TruststoreUri": "s3://a/b"},
            "",  # the watch has no client certificate
            24,
        ),
        ({"ClusterMetrics": "false"}, "dev-Api.ApiEndpoint", 24),
        ({"SilentClusterHours": "0"}, "dev-Api.ApiEndpoint", 0),
    ],
)
def test_the_watch_checks_what_the_parameters_allow(
    parameters: dict[str, str], endpoint: str, hours: int
) -> None:
    resources = Rendering(TEMPLATE, "dev", parameters).resources
    variables = resources["Watch"]["Properties"]["Environment"]["Variables"]
    assert (variables["WATCH_ENDPOINT"], int(variables["WATCH_SILENT_HOURS"])) == (endpoint, hours)
    assert ("SilentClustersAlarm" in resources) is bool(hours)
    assert ("CertificateAlarm" in resources) is ("DomainName" in parameters)


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
        "ReadPolicies": [
            *(below("/*/policy"), below("/*/policy:*"), below("/denied")),
            *(below("/*/brake"), below("/brake")),
        ],
        "ReadCallers": [below("/callers"), below("/callers:*")],
        "ListParameters": [below(""), below("/*")],
        "DenyCensusKeys": "*",  # with a condition
        "ListBundles": {"GetAtt": "Bundles.Arn"},
        "ReadBundles": {"Sub": "${Bundles.Arn}/${BundlePrefix}*"},
        "ReadRegistry": {"Sub": "${Bundles.Arn}/callers/*"},
        "WriteLogs": {"GetAtt": "WebhookLogs.Arn"},
        "ReadCensusKeys": below("/*/census-key"),
        "WriteRecords": {"Sub": "${CensusRecords.Arn}/*"},
        "DecryptObjects": {"Ref": "KmsKeyArn"},
        "EncryptRecords": {"Ref": "KmsKeyArn"},
        "WriteTraces": "*",  # X-Ray knows no resources
    }
    [listing] = [each for each in statements() if each["Sid"] == "ListBundles"]
    assert listing["Condition"] == {"StringLike": {"s3:prefix": [{"Sub": "${BundlePrefix}*"}]}}
    assert RESOURCES["Webhook"]["Properties"]["Role"] == {"GetAtt": "WebhookRole.Arn"}


@pytest.mark.parametrize("name", ["Bundles", "CensusRecords"])
def test_a_bucket_is_encrypted_private_and_spoken_to_by_tls_only(name: str) -> None:
    buckets = resources_of_type("S3::Bucket")
    assert buckets.keys() == {"Bundles", "CensusRecords"}
    bucket = buckets[name]
    assert bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    policy = resources_of_type("S3::BucketPolicy")[f"{name}Policy"]
    [denied] = policy["PolicyDocument"]["Statement"]
    assert (denied["Effect"], denied["Principal"], denied["Action"]) == ("Deny", "*", "s3:*")
    assert denied["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_bundles_have_versions_and_records_expire() -> None:
    """A deleted record must be gone, and the bucket exists only with Census=true."""
    buckets = resources_of_type("S3::Bucket")
    assert buckets["Bundles"]["VersioningConfiguration"] == {"Status": "Enabled"}
    assert "VersioningConfiguration" not in buckets["CensusRecords"]
    [rule] = buckets["CensusRecords"]["LifecycleConfiguration"]["Rules"]
    assert (rule["Status"], rule["ExpirationInDays"]) == ("Enabled", 30)
    assert "CensusRecords" not in Rendering(TEMPLATE, "dev", {}).resources
    recorded = Rendering(TEMPLATE, "dev", {"Census": "true"})
    variables = recorded.resources["Webhook"]["Properties"]["Environment"]["Variables"]
    assert variables["PODGRAFT_CENSUS"] == "dev-CensusRecords"
    assert recorded.outputs["CensusBucket"]["Value"] == "dev-CensusRecords"


def test_no_log_holds_a_path_and_every_log_ends() -> None:
    [stage] = resources_of_type("ApiGatewayV2::Stage").values()
    logged = set(re.findall(r"\$context\.([\w.]+)", stage["AccessLogSettings"]["Format"]["Sub"]))
    assert "routeKey" in logged
    assert logged.isdisjoint({"path", "http.path", "customDomain.basePathMatched"})
    groups = resources_of_type("Logs::LogGroup")
    assert len(groups) == 7
    assert all(each["RetentionInDays"] == {"Ref": "LogRetentionDays"} for each in groups.values())


@pytest.mark.parametrize(
    "metric",
    [
        "sidecar_injection_failure_total",
        "Duration",
        "Throttles",
        "policy_refused_total",
        "snapshot_age_seconds",
        "authentication_failure_total",
        "5xx",
        "api_throttled_total",
        "synthetic_review_failure_total",
        "silent_clusters",
        "oldest_token_days",
        "DaysToExpiry",
        "client_certificate_days",
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


def test_route_53_can_use_the_alarm_of_synthetic_reviews() -> None:
    """Route 53 accepts no alarm of M out of N datapoints, of a percentile, or of metric math.

    docs/fleet.md needs it for mutual TLS, because a health check has no client certificate.
    """
    alarm = RESOURCES["SyntheticReviewAlarm"]["Properties"]
    assert alarm["Statistic"] in {"Average", "Maximum", "Minimum", "Sum", "SampleCount"}
    assert not {"DatapointsToAlarm", "ExtendedStatistic", "Metrics"} & alarm.keys()
    assert alarm["TreatMissingData"] == "breaching"  # a watch that does not run is not healthy


def test_the_dashboard_searches_each_set_of_dimensions_of_requests() -> None:
    """Above 20 clusters, the metrics have the group instead of cluster and injector."""
    record: dict[str, JSON] = {
        "cluster": "prod",
        "injector": "istio",
        "policy_version": "1",
        "groups": "ring-0",
    }
    sets = [",".join(["service", *find(record)]) for find in (find_source, list_by_group)]
    body = Rendering(TEMPLATE, "dev", {}).resources["Dashboard"]["Properties"]["DashboardBody"]
    searched = re.findall(r"SEARCH\('\{podgraft,([\w,]+)\} service=\\\"dev\\\"", body)
    assert searched == sets


def test_alarms_start_when_a_function_fails() -> None:
    alarms = {
        name: each
        for name, each in resources_of_type("CloudWatch::Alarm").items()
        if each["MetricName"] == "Errors"
    }
    functions = {name: each["Dimensions"][0]["Value"]["Ref"] for name, each in alarms.items()}
    assert functions == {
        "CleanupErrorsAlarm": "Cleanup",
        "CrashesAlarm": "Webhook",
        "GuardErrorsAlarm": "Guard",
        "NewVersionErrorsAlarm": "Webhook",
        "RotationErrorsAlarm": "Rotation",
    }
    for alarm in alarms.values():
        assert alarm["AlarmActions"]["If"][:2] == ["HasTopic", [{"Ref": "AlarmTopicArn"}]]


@pytest.mark.parametrize("topic", ["", "arn:topic"])
def test_the_alarms_of_candidates_invoke_the_guard(topic: str) -> None:
    """Missing data is inconclusive: it neither starts an alarm nor ends one as healthy."""
    resources = Rendering(TEMPLATE, "dev", {"AlarmTopicArn": topic}).resources
    alarms = {
        name: each["Properties"]
        for name, each in resources.items()
        if each["Type"] == "AWS::CloudWatch::Alarm"
        and "dev-Guard.Arn" in each["Properties"].get("AlarmActions", ())
    }
    assert {name: each["MetricName"] for name, each in alarms.items()} == {
        "CandidateFailuresAlarm": CandidateMetric.FAILURE,
        "CandidateLatencyAlarm": CandidateMetric.TIME,
    }
    for alarm in alarms.values():
        assert alarm["TreatMissingData"] == "missing"
        assert alarm["AlarmActions"] == ["dev-Guard.Arn", *filter(None, [topic])]
        assert not {"OKActions", "InsufficientDataActions"} & alarm.keys()
        assert alarm["Dimensions"] == [{"Name": "service", "Value": "dev"}]


@pytest.mark.parametrize(
    ("parameters", "prefix"),
    [({}, "/dev"), ({"ParameterPrefix": "/team/podgraft"}, "/team/podgraft")],
)
def test_the_guard_can_write_one_brake_and_its_log(parameters: dict[str, str], prefix: str) -> None:
    resources = Rendering(TEMPLATE, "dev", parameters).resources
    [policy] = resources["GuardRole"]["Properties"]["Policies"]
    brake = f"arn:partition:ssm:region:accountid:parameter{prefix}/brake"
    assert {
        each["Sid"]: (each["Action"], each["Resource"])
        for each in policy["PolicyDocument"]["Statement"]
    } == {
        "SetBrake": (["ssm:GetParameter", "ssm:PutParameter"], brake),
        "WriteLogs": (["logs:CreateLogStream", "logs:PutLogEvents"], "dev-GuardLogs.Arn"),
    }
    variables = resources["Guard"]["Properties"]["Environment"]["Variables"]
    assert variables == {"GUARD_STACK": "dev", "GUARD_BRAKE": f"{prefix}/brake"}
    assert resources["AlarmsMayInvoke"]["Properties"] == {
        "FunctionName": "dev-Guard",
        "Action": "lambda:InvokeFunction",
        "Principal": "lambda.alarms.cloudwatch.amazonaws.com",
        "SourceAccount": "accountid",
    }


def test_the_rotation_is_off_and_reads_no_token() -> None:
    """Its role changes the registry and secrets of its stack, and reads no secret."""
    names = {"Rotation", "RotationRole", "RotationSchedule", "RotationErrorsAlarm", "RotationLogs"}
    assert names.isdisjoint(Rendering(TEMPLATE, "dev", {}).resources)
    resources = Rendering(TEMPLATE, "dev", {"TokenRotationDays": "60"}).resources
    assert names <= resources.keys()
    [policy] = resources["RotationRole"]["Properties"]["Policies"]
    allowed = {
        each["Sid"]: (each["Action"], str(each["Resource"]).partition(":parameter")[2])
        for each in policy["PolicyDocument"]["Statement"]
        if each["Sid"] != "ChangePointer"
    }
    secrets = ("DescribeSecret", "PutSecretValue", "UpdateSecretVersionStage")
    assert allowed == {
        "ReadOwner": (["ssm:GetParameter"], "/dev/stack"),
        "ChangeRegistry": (["s3:GetObject", "s3:PutObject"], ""),
        "DeliverTokens": ([f"secretsmanager:{each}" for each in secrets], ""),
        "ReadLog": (["logs:StartQuery", "logs:GetQueryResults"], ""),
        "WriteLogs": (["logs:CreateLogStream", "logs:PutLogEvents"], ""),
    }
    [pointer] = [
        each for each in policy["PolicyDocument"]["Statement"] if each["Sid"] == "ChangePointer"
    ]
    assert pointer["Action"] == ["ssm:GetParameter", "ssm:GetParameters", "ssm:PutParameter"]
    assert [each.partition(":parameter")[2] for each in pointer["Resource"]] == [
        "/dev/callers",
        "/dev/callers:*",
    ]
    ends = {
        each["Sid"]: each["Resource"].rpartition(":")[2]
        for each in policy["PolicyDocument"]["Statement"]
        if each["Sid"] != "ChangePointer"
    }
    assert ends["DeliverTokens"] == "dev/tokens/*"
    assert ends["ChangeRegistry"].endswith("/callers/*")


def test_the_cleanup_can_delete_versions_and_not_the_function() -> None:
    resources = Rendering(TEMPLATE, "dev", {"RetainedVersions": 5}).resources
    [policy] = resources["CleanupRole"]["Properties"]["Policies"]
    assert {
        each["Sid"]: (each["Action"], each["Resource"])
        for each in policy["PolicyDocument"]["Statement"]
    } == {
        "ListVersions": (
            ["lambda:ListVersionsByFunction", "lambda:ListAliases"],
            "dev-Webhook.Arn",
        ),
        "DeleteVersions": (["lambda:DeleteFunction"], "dev-Webhook.Arn:*"),
        "WriteLogs": (["logs:CreateLogStream", "logs:PutLogEvents"], "dev-CleanupLogs.Arn"),
    }
    variables = resources["Cleanup"]["Properties"]["Environment"]["Variables"]
    assert variables == {
        "CLEANUP_STACK": "dev",
        "CLEANUP_FUNCTION": "dev-Webhook.Arn",
        "CLEANUP_ALIAS": "live",
        "CLEANUP_COUNT": 5,
    }


@pytest.mark.parametrize("census", ["false", "true"])
def test_the_probe_can_invoke_versions_and_report(census: str) -> None:
    parameters = {"GradualDeployment": "true", "Census": census}
    resources = Rendering(TEMPLATE, "dev", parameters).resources
    statements = {
        each["Sid"]: (each["Action"], each["Resource"])
        for policy in resources["ProbeRole"]["Properties"]["Policies"]
        for each in policy["PolicyDocument"]["Statement"]
    }
    group = (
        "arn:partition:codedeploy:region:accountid:deploymentgroup:"
        "dev-ServerlessDeploymentApplication-*/*"
    )
    expected = {
        "InvokeVersions": (["lambda:InvokeFunction"], "dev-Webhook.Arn:*"),
        "ReadAlias": (["lambda:GetAlias"], ["dev-Webhook.Arn", "dev-Webhook.Arn:live"]),
        "ReportResult": (["codedeploy:PutLifecycleEventHookExecutionStatus"], group),
        "WriteLogs": (["logs:CreateLogStream", "logs:PutLogEvents"], "dev-ProbeLogs.Arn"),
    }
    if census == "true":
        expected |= {
            "ListRecords": (["s3:ListBucket"], "dev-CensusRecords.Arn"),
            "ReadRecords": (["s3:GetObject"], "dev-CensusRecords.Arn/*"),
        }
    assert statements == expected
    function = resources["Probe"]["Properties"]
    # The managed policy of CodeDeploy allows no other name.
    assert function["FunctionName"] == "CodeDeployHook_dev"
    variables = function["Environment"]["Variables"]
    assert variables["PROBE_NEW_VERSION"] == "dev-Webhook.Version"
    # The alias depends on the probe: a reference to it would be a cycle.
    assert "Webhook.Alias" not in json.dumps([RESOURCES[each] for each in ("Probe", "ProbeRole")])


def test_gradual_deployments_are_off_by_default() -> None:
    """Only a reference to a parameter turns off the resources of SAM."""
    preference = RESOURCES["Webhook"]["Properties"]["DeploymentPreference"]
    assert preference["Enabled"] == {"Ref": "GradualDeployment"}
    assert TEMPLATE["Parameters"]["GradualDeployment"]["Default"] == "false"
    resources = Rendering(TEMPLATE, "dev", {}).resources
    assert not {"Probe", "ProbeRole", "ProbeLogs", "NewVersionErrorsAlarm"} & resources.keys()
    resources = Rendering(TEMPLATE, "dev", {"GradualDeployment": "true"}).resources
    on = resources["Webhook"]["Properties"]["DeploymentPreference"]
    assert on["Hooks"] == {"PreTraffic": "dev-Probe"}
    assert on["Alarms"] == ["dev-NewVersionErrorsAlarm"]
    dimensions = resources["NewVersionErrorsAlarm"]["Properties"]["Dimensions"]
    assert {each["Name"]: each["Value"] for each in dimensions} == {
        "FunctionName": "dev-Webhook",
        "Resource": "dev-Webhook:live",
        "ExecutedVersion": "dev-Webhook.Version.Version",
    }


EXPECTED_CHANGES: tuple[tuple[str, bool], ...] = (
    ("", True),
    ("istio=3f2a9c01d4e5", True),
    ("istio=3f2a9c01d4e5,logging=any,*=0123456789ab", True),
    ("istio", False),
    ("istio=3f2a", False),
    ("istio=any,", False),
    ("Istio=any", False),
)


@pytest.mark.parametrize(("text", "is_valid"), EXPECTED_CHANGES)
def test_expected_changes_have_a_form(text: str, is_valid: bool) -> None:
    pattern = TEMPLATE["Parameters"]["ExpectedChanges"]["AllowedPattern"]
    assert (re.fullmatch(pattern, text) is not None) is is_valid


DOMAIN = {"DomainName": "a.example", "CertificateArn": "arn:c"}
TRUSTSTORE = {"TruststoreUri": "s3://a/b", "TruststoreVersion": "v1"}
TWO_REGIONS = {
    **DOMAIN,
    "TokenRotationDays": "60",
    "DnsRecord": "latency",
    "HostedZoneId": "Z1",
}
REFUSED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("DomainNeedsCertificate", {"DomainName": "a.example"}),
    ("TruststoreNeedsDomain", TRUSTSTORE),
    # API Gateway would not read a new file at the same URI: a removed CA stays trusted.
    ("TruststoreNeedsVersion", {**DOMAIN, "TruststoreUri": "s3://a/b"}),
    # CodeDeploy would give the alias two versions.
    (
        "GradualDeploymentNeedsNoProvisionedConcurrency",
        {"GradualDeployment": "true", "StartMode": "provisioned"},
    ),
    ("RecordNeedsDomainAndZone", {"DnsRecord": "latency", "HostedZoneId": "Z1"}),
    ("RecordNeedsDomainAndZone", {**DOMAIN, "DnsRecord": "latency"}),
    ("PrivateEndpointNeedsVpcEndpoints", {"PublicEndpoint": "false"}),
    (
        "PrivateEndpointNeedsVpcEndpoints",
        {"PublicEndpoint": "false", "VpcEndpointIds": "vpce-0a1b2c3d", **DOMAIN},
    ),
    ("ReservedConcurrencyAdmits", {"ReservedConcurrency": 0}),
    ("SignatureNeedsKey", {"RequireSignature": "true"}),
    ("MutualTlsNeedsDomainAndTruststore", {"Auth": "mtls"}),
    ("MutualTlsNeedsDomainAndTruststore", {"Auth": "mtls", **DOMAIN}),
    ("TokenRotationNeedsLogAndOneRegion", {"TokenRotationDays": "60", "LogRetentionDays": "7"}),
    ("TokenRotationNeedsLogAndOneRegion", TWO_REGIONS),
    ("PolicyWritersNeedTopic", {"PolicyWriterArns": "arn:a,arn:b"}),
)


@pytest.mark.parametrize(("rule", "parameters"), REFUSED)
def test_what_aws_would_refuse_or_break_is_refused_before(
    rule: str, parameters: dict[str, Any]
) -> None:
    assert find_refusals(TEMPLATE, parameters) == [rule]
    assert all(each["AssertDescription"] for each in TEMPLATE["Rules"][rule]["Assertions"])


def test_each_rule_has_an_example() -> None:
    assert {rule for rule, _ in REFUSED} == set(TEMPLATE["Rules"])


ACCEPTED: tuple[dict[str, Any], ...] = (
    {},
    {**DOMAIN, **TRUSTSTORE, "Auth": "mtls"},
    {"StartMode": "snapstart", "GradualDeployment": "true"},
    {"StartMode": "provisioned", "ReservedConcurrency": 5},
    {"TokenRotationDays": "60", "LogRetentionDays": "14"},
    {"PolicyWriterArns": "arn:a", "AlarmTopicArn": "arn:t"},
    {"PublicEndpoint": "false", "VpcEndpointIds": "vpce-0a1b2c3d,vpce-4e5f6a7b"},
)


@pytest.mark.parametrize("parameters", ACCEPTED, ids=str)
def test_rules_accept_what_aws_accepts(parameters: dict[str, Any]) -> None:
    assert find_refusals(TEMPLATE, parameters) == []


def test_a_private_api_admits_the_named_vpc_endpoints_with_tls_1_3_only() -> None:
    endpoints = ["vpce-0a1b2c3d", "vpce-4e5f6a7b"]
    stack = Rendering(TEMPLATE, "shop", {"VpcEndpointIds": endpoints, "PublicEndpoint": "false"})
    api = stack.resources["PrivateApi"]["Properties"]
    document = api["DefinitionBody"]
    assert document["x-amazon-apigateway-security-policy"] == "SecurityPolicy_TLS13_1_3_2025_09"
    assert document["x-amazon-apigateway-endpoint-access-mode"] == "STRICT"
    [denied] = [
        each
        for each in document["x-amazon-apigateway-policy"]["Statement"]
        if each["Effect"] == "Deny"
    ]
    assert denied["Condition"] == {"StringNotEquals": {"aws:SourceVpce": endpoints}}
    assert set(document["paths"]) == {"/{proxy+}", "/ping", "/healthz", "/readyz"}
    # Else SAM adds a stage that nothing throttles: tests/e2e/aws/test_versions.py.
    assert api["OpenApiVersion"] == document["openapi"]
    # Else SAM deploys the API only if the text of the template changes, and not its parameters.
    assert api["AlwaysDeploy"] is True
    assert stack.resources["Api"]["Properties"]["DisableExecuteApiEndpoint"] is True
    assert (
        stack.resources["Watch"]["Properties"]["Environment"]["Variables"]["WATCH_ENDPOINT"] == ""
    )
    assert "vpce-0a1b2c3d.execute-api" in stack.outputs["PrivateEndpoint"]["Value"]
    # Without --url, the commands register this address.
    assert stack.outputs["Endpoint"]["Value"] == stack.outputs["PrivateEndpoint"]["Value"]
    both = Rendering(TEMPLATE, "shop", {"VpcEndpointIds": endpoints})
    assert both.outputs["Endpoint"]["Value"] == "shop-Api.ApiEndpoint"
    without = Rendering(TEMPLATE, "shop", {})
    assert "PrivateApi" not in without.resources
    assert without.resources["Api"]["Properties"]["DisableExecuteApiEndpoint"] is False


# https://docs.aws.amazon.com/lambda/latest/dg/snapstart.html
@pytest.mark.parametrize(
    ("region", "is_there"),
    [
        ("us-east-1", True),
        ("eu-central-1", True),
        ("us-gov-east-1", False),
        ("us-gov-west-1", False),
        ("cn-north-1", False),
        ("cn-northwest-1", False),
        ("ap-southeast-6", False),
        ("ap-east-2", False),
        ("eusc-de-east-1", False),
        ("us-iso-east-1", False),
        ("us-isob-east-1", False),
        ("eu-isoe-west-1", False),
    ],
)
def test_snapstart_is_the_default_where_lambda_has_it(region: str, is_there: bool) -> None:
    """Elsewhere, the function starts on demand, and the output says so."""
    stack = Rendering(TEMPLATE, "podgraft", {}, region)
    assert ("SnapStart" in stack.resources["Webhook"]["Properties"]) is is_there
    assert stack.outputs["SnapStart"]["Value"] == ("true" if is_there else "false")


@pytest.mark.parametrize("stage", ["default", "prod"])
def test_a_new_account_can_deploy_each_stage(stage: str) -> None:
    """Lambda rejects reserved and provisioned concurrency in an account with a limit of 10.

    Such an account has functions of at most 3,008 MiB.
    """
    settings = tomllib.loads((Path(__file__).parents[2] / "samconfig.toml").read_text())[stage]
    overrides = settings["deploy"]["parameters"]["parameter_overrides"].split()
    stack = Rendering(TEMPLATE, "podgraft", dict(each.split("=", 1) for each in overrides))
    properties = stack.resources["Webhook"]["Properties"]
    assert not properties.keys() & {"ReservedConcurrentExecutions", "ProvisionedConcurrencyConfig"}
    assert int(properties["MemorySize"]) <= 3008


def test_routes_are_created_one_after_the_other() -> None:
    """API Gateway can refuse concurrent changes of the routes of an API."""
    routes = [name for name, each in RESOURCES.items() if each["Type"].endswith("V2::Route")]
    assert [RESOURCES[name].get("DependsOn") for name in routes] == [None, *routes[:-1]]


def test_the_access_log_has_a_name_that_needs_no_entry_of_its_own() -> None:
    """The resource policy of an account for access logs has at most 5,120 characters."""
    stack = Rendering(TEMPLATE, "dev", {})
    name = stack.resources["ApiLogs"]["Properties"]["LogGroupName"]
    assert name == "/aws/vendedlogs/podgraft/dev"


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
    assert api["DisableExecuteApiEndpoint"]["If"][:2] == ["HasTruststore", True]


def test_the_api_bounds_what_unauthenticated_requests_can_cost() -> None:
    [stage] = resources_of_type("ApiGatewayV2::Stage").values()
    limits = stage["DefaultRouteSettings"]
    assert limits == {name: {"Ref": name} for name in limits}
    parameters = {name: TEMPLATE["Parameters"][name] for name in limits}
    assert {name: each["Default"] for name, each in parameters.items()} == {
        "ThrottlingRateLimit": 500,
        "ThrottlingBurstLimit": 200,
    }
    # Routes without settings of their own inherit these.
    assert "RouteSettings" not in stage


def test_a_new_account_can_deploy_the_default_concurrency() -> None:
    """Lambda rejects each reservation in an account with a limit of 10."""
    assert TEMPLATE["Parameters"]["ReservedConcurrency"]["Default"] == -1
    reserved = RESOURCES["Webhook"]["Properties"]["ReservedConcurrentExecutions"]
    assert reserved == {"If": ["Reserved", {"Ref": "ReservedConcurrency"}, {"Ref": "AWS::NoValue"}]}


def test_signed_code_is_required_by_parameter() -> None:
    signing = RESOURCES["Webhook"]["Properties"]["CodeSigningConfigArn"]
    assert signing["If"][:2] == ["HasCodeSigning", {"Ref": "CodeSigningConfigArn"}]
    layers = {name for name, each in RESOURCES.items() if each["Type"].endswith("LayerVersion")}
    makefile = (Path(__file__).parents[2] / "Makefile").read_text()
    for name in (*layers, "Cleanup", "Guard", "Probe", "Rotation", "Watch", "Webhook"):
        assert f"{name}=$(SIGNING_PROFILE)" in makefile


def test_each_role_can_have_a_permissions_boundary() -> None:
    """SAM makes none of the roles: it would give them no boundary."""
    boundary = {"Ref": "PermissionsBoundaryArn"}
    roles = resources_of_type("IAM::Role")
    assert len(roles) == 7
    for role in roles.values():
        assert role["PermissionsBoundary"]["If"] == [
            "HasPermissionsBoundary",
            boundary,
            {"Ref": "AWS::NoValue"},
        ]
    functions = resources_of_type("Serverless::Function").values()
    assert all("Role" in each for each in functions)
    role = RESOURCES["Webhook"]["Properties"]["DeploymentPreference"]["Role"]
    assert role["If"][:2] == ["Gradual", {"GetAtt": "DeploymentRole.Arn"}]


KEY = "arn:aws:kms:eu-central-1:111122223333:key/a"


def test_a_key_encrypts_each_bucket_and_each_log_group() -> None:
    """CloudWatch Logs needs a key's ARN, and S3 calls KMS less with a key of the bucket."""
    everything = {"Census": "true", "GradualDeployment": "true", "TokenRotationDays": "60"}
    for parameters in ({}, {"KmsKeyArn": KEY}):
        stack = Rendering(TEMPLATE, "dev", {**everything, **parameters})
        kinds: dict[str, list[Any]] = {}
        for each in stack.resources.values():
            kinds.setdefault(each["Type"], []).append(each["Properties"])
        groups, buckets = kinds["AWS::Logs::LogGroup"], kinds["AWS::S3::Bucket"]
        assert (len(groups), len(buckets)) == (7, 2)
        key = parameters.get("KmsKeyArn")
        assert {each.get("KmsKeyId") for each in groups} == {key}
        for each in buckets:
            [rule] = each["BucketEncryption"]["ServerSideEncryptionConfiguration"]
            default = rule["ServerSideEncryptionByDefault"]
            assert default.get("KMSMasterKeyID") == key
            assert default["SSEAlgorithm"] == ("aws:kms" if key else "AES256")
            assert rule.get("BucketKeyEnabled", False) is bool(key)


def test_each_role_with_objects_can_use_the_key() -> None:
    """S3 calls KMS with the permissions of its caller: reads decrypt, and writes encrypt."""
    everything = {"Census": "true", "GradualDeployment": "true", "TokenRotationDays": "60"}
    stack = Rendering(TEMPLATE, "dev", {**everything, "KmsKeyArn": KEY})
    needs = {"s3:GetObject": "kms:Decrypt", "s3:PutObject": "kms:GenerateDataKey"}
    for name, role in stack.resources.items():
        if role["Type"] != "AWS::IAM::Role":
            continue
        listed = [
            each
            for policy in role["Properties"].get("Policies", ())
            for each in policy["PolicyDocument"]["Statement"]
            if each["Effect"] == "Allow"
        ]
        actions = {action for each in listed for action in each["Action"]}
        uses = {action for action in actions if action.startswith("kms:")}
        assert uses == {needs[action] for action in actions & needs.keys()}, name
        for each in listed:
            if uses & {*each["Action"]}:
                assert each["Resource"] == KEY
                assert each["Condition"] == {"StringLike": {"kms:ViaService": "s3.*"}}


WRITER = "arn:aws:iam::111122223333:role/deployer"
USER = "arn:aws:iam::111122223333:user/deployer"
POLICY = {"name": "/podgraft/istio/policy"}


def call(name: str, parameters: dict[str, Any], principal: str) -> dict[str, Any]:
    """The event of CloudTrail for a request of a role or of a user."""
    identity: dict[str, Any] = {"type": "IAMUser", "arn": principal}
    if ":role/" in principal:
        session = principal.replace(":iam:", ":sts:").replace(":role/", ":assumed-role/")
        issuer = {"type": "Role", "arn": principal}
        identity = {
            "type": "AssumedRole",
            "arn": f"{session}/session",
            "sessionContext": {"sessionIssuer": issuer},
        }
    return {
        "source": "aws.ssm",
        "detail-type": "AWS API Call via CloudTrail",
        "detail": {
            "eventSource": "ssm.amazonaws.com",
            "eventName": name,
            "requestParameters": parameters,
            "userIdentity": identity,
        },
    }


OTHER = WRITER.replace("deployer", "other")
WRITES: tuple[tuple[str, dict[str, Any], str, bool], ...] = (
    ("PutParameter", POLICY, WRITER, False),
    ("PutParameter", POLICY, USER, False),
    ("PutParameter", POLICY, OTHER, True),
    ("PutParameter", POLICY, USER.replace("deployer", "other"), True),
    ("PutParameter", {"name": "/podgraft/auth/prod-eu"}, OTHER, True),
    ("PutParameter", {"name": "/podgraft/callers"}, OTHER, True),
    # The guard: the message confirms that the rollouts are stopped.
    ("PutParameter", {"name": "/podgraft/brake"}, WRITER.replace("deployer", "Guard"), True),
    ("DeleteParameter", {"name": "/podgraft/istio/brake"}, OTHER, True),
    ("DeleteParameter", POLICY, OTHER, True),
    ("DeleteParameters", {"names": ["/x", "/podgraft/istio/policy"]}, OTHER, True),
    ("DeleteParameters", {"names": ["/x"]}, OTHER, False),
    ("PutParameter", {"name": "/podgraft-dev/istio/policy"}, OTHER, False),
    ("GetParameter", POLICY, OTHER, False),
)


@pytest.mark.parametrize(("name", "parameters", "principal", "reported"), WRITES)
def test_a_change_of_a_policy_by_another_principal_is_reported(
    name: str, parameters: dict[str, Any], principal: str, reported: bool
) -> None:
    overrides = {"AlarmTopicArn": "topic", "PolicyWriterArns": f"{WRITER},{USER}"}
    rule = Rendering(TEMPLATE, "podgraft", overrides).resources["PolicyWriteRule"]["Properties"]
    assert matches(rule["EventPattern"], call(name, parameters, principal)) is reported
    [target] = rule["Targets"]
    assert target["Arn"] == "topic"
    message = target["InputTransformer"]["InputTemplate"]
    # The right reaction depends on the parameter: a brake is never rolled back.
    assert message.endswith('see https://podgraft.dev/security/#changes-by-other-principals"')
    assert (
        "## Changes by other principals\n"
        in (Path(__file__).parents[2] / "docs/security.md").read_text()
    )


def test_one_arn_covers_the_roles_of_identity_center() -> None:
    """Their names end with characters that change with each assignment."""
    path = "arn:aws:iam::111122223333:role/aws-reserved/sso.amazonaws.com/eu-central-1"
    role = f"{path}/AWSReservedSSO_Deployer_0123456789abcdef"
    overrides = {"AlarmTopicArn": "topic", "PolicyWriterArns": f"{path}/AWSReservedSSO_Deployer_*"}
    rule = Rendering(TEMPLATE, "podgraft", overrides).resources["PolicyWriteRule"]["Properties"]
    assert not matches(rule["EventPattern"], call("PutParameter", POLICY, role))
    other = role.replace("Deployer", "Reader")
    assert matches(rule["EventPattern"], call("PutParameter", POLICY, other))


def test_the_documented_size_of_the_writers_fits_into_the_pattern() -> None:
    """EventBridge accepts 2,048 characters. Each ARN is in the pattern twice."""
    stack = "s" * 64
    arns = ",".join(WRITER.ljust(139, "x") for _ in range(5))
    description = TEMPLATE["Parameters"]["PolicyWriterArns"]["Description"]
    assert f"EventBridge accepts {len(arns) + 1}" in " ".join(description.split())
    overrides = {"AlarmTopicArn": "topic", "PolicyWriterArns": arns}
    rule = Rendering(TEMPLATE, stack, overrides).resources["PolicyWriteRule"]["Properties"]
    text = json.dumps(rule["EventPattern"], separators=(",", ":"))
    assert len(text.replace(arns, json.dumps(arns.split(","), separators=(",", ":"))[1:-1])) <= 2048


def test_the_documented_number_of_vpc_endpoints_fits_into_a_parameter() -> None:
    """CloudFormation accepts 4,096 bytes for a parameter, and API Gateway 8,192 for a policy."""
    description = " ".join(TEMPLATE["Parameters"]["VpcEndpointIds"]["Description"].split())
    found = re.search(r"at most (\d+)\.", description)
    assert found is not None
    ids = ["vpce-0a1b2c3d4e5f67890"] * int(found[1])
    assert len(",".join(ids)) <= 4096 < len(",".join([*ids, ids[0]]))
    stack = Rendering(TEMPLATE, "s" * 64, {"VpcEndpointIds": ids})
    document = stack.resources["PrivateApi"]["Properties"]["DefinitionBody"]
    assert len(json.dumps(document["x-amazon-apigateway-policy"])) <= 8192


def test_without_writers_no_change_is_reported() -> None:
    assert "PolicyWriteRule" not in Rendering(TEMPLATE, "podgraft", {}).resources


def matches(pattern: dict[str, Any], event: dict[str, Any]) -> bool:
    """Whether a pattern of EventBridge matches, as far as the rule uses patterns."""
    alternatives = pattern.get("$or")
    if alternatives is not None and not any(matches(each, event) for each in alternatives):
        return False
    return all(_matches_field(pattern[key], event.get(key)) for key in pattern.keys() - {"$or"})


def _matches_field(wanted: Any, value: Any) -> bool:
    if isinstance(wanted, dict):
        return matches(cast("dict[str, Any]", wanted), value or {})
    return any(_matches_value(each, value) for each in wanted)


def _matches_value(wanted: Any, value: Any) -> bool:
    values = cast("list[Any]", value if isinstance(value, list) else [value])
    match wanted:
        case {"exists": bool(exists)}:
            return (value is not None) is exists
        case {"prefix": str(prefix)}:
            return any(isinstance(each, str) and each.startswith(prefix) for each in values)
        case {"anything-but": {"wildcard": str(excluded)}}:
            return isinstance(value, str) and not any(
                fnmatchcase(value, each) for each in excluded.split(",")
            )
        case _:
            return wanted in values
