"""The Terraform module has the resources, permissions, and limits of template.yaml."""

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from layers.cloudformation import TEMPLATE, Rendering
from sam_template import SAM_CONDITIONS, SAM_HASH_VARIABLE, SAM_PARAMETERS, UnsupportedError
from terraform.module import (
    COUNTERPARTS,
    FILES,
    IN_TEMPLATES,
    LOCALS,
    MODULE,
    PARTS,
    RESOURCES,
    STACKS,
    find_conditions,
    make_variables,
    select_alarms,
    strip_marks,
    strip_quotes,
    to_text,
)
from terraform.templates import FOLDER, load, render
from terraform_module import (
    convert,
    find_alarms,
    find_queries,
    make_conditions,
    name_condition,
    name_variable,
)

hcl2 = pytest.importorskip("hcl2")


@pytest.mark.parametrize("name", [*FILES])
def test_a_generated_file_is_current(name: str, request: pytest.FixtureRequest) -> None:
    """Run with ``--update-goldens`` after you change template.yaml."""
    if request.config.getoption("--update-goldens"):
        (FOLDER / name).write_text(FILES[name])
    assert (FOLDER / name).read_text() == FILES[name]


@pytest.mark.parametrize("parameters", STACKS, ids=str)
def test_the_role_has_the_statements_of_the_template(parameters: Mapping[str, Any]) -> None:
    stack = Rendering(TEMPLATE, "shop", parameters)
    role = stack.resources["WebhookRole"]["Properties"]
    permissions = load("permissions.json.tftpl", make_variables("shop", parameters))
    is_recorded, is_encrypted = parameters.get("Census") == "true", "KmsKeyArn" in parameters
    policies = ["webhook", *(["census"] if is_recorded else [])]
    policies += ["encryption"] if is_encrypted else []
    policies += ["census_encryption"] if is_encrypted and is_recorded else []
    policies += [] if is_recorded else ["without_census"]
    policies += ["tracing"] if parameters.get("Tracing") == "Active" else []
    assert [permissions[name] for name in policies] == [
        each["PolicyDocument"] for each in role["Policies"]
    ]
    assert [each["PolicyName"] for each in role["Policies"]] == policies
    assert (
        MODULE["aws_iam_role_policy.census"]["count"] == "${local.conditions.is_recorded ? 1 : 0}"
    )
    assert MODULE["aws_iam_role_policy.tracing"]["count"] == "${local.conditions.is_traced ? 1 : 0}"


@pytest.mark.parametrize("parameters", STACKS, ids=str)
@pytest.mark.parametrize("name", ["Cleanup", "Guard", "Rotation", "Watch"])
def test_the_role_of_another_function_has_the_statements_of_the_template(
    name: str, parameters: Mapping[str, Any]
) -> None:
    given = {"TokenRotationDays": 60, **parameters}
    role = Rendering(TEMPLATE, "shop", given).resources[f"{name}Role"]["Properties"]
    own = name.lower()
    permissions = load(f"{own}_permissions.json.tftpl", make_variables("shop", given))
    if "KmsKeyArn" not in parameters:
        permissions.pop("encryption", None)
    assert permissions == {each["PolicyName"]: each["PolicyDocument"] for each in role["Policies"]}
    policy = MODULE[f"aws_iam_role_policy.{own}"]["policy"]
    used = re.findall(rf"local\.{own}_permissions\.(\w+)", policy)
    assert {*used} == {own, *(["encryption"] if name == "Rotation" else [])}
    counted = "[0]" if name == "Rotation" else ""
    assert MODULE[f"aws_iam_role_policy.{own}"]["role"] == f"${{aws_iam_role.{own}{counted}.id}}"


def test_alarms_of_the_account_can_invoke_the_guard() -> None:
    permission = RESOURCES["AlarmsMayInvoke"]["Properties"]
    module = MODULE["aws_lambda_permission.guard"]
    assert (module["action"], module["principal"]) == (
        permission["Action"],
        permission["Principal"],
    )
    assert permission["SourceAccount"] == {"Ref": "AWS::AccountId"}
    assert module["source_account"] == "${data.aws_caller_identity.current.account_id}"
    assert module["function_name"] == "${aws_lambda_function.guard.function_name}"


def test_a_function_waits_for_all_policies_of_its_role() -> None:
    """Otherwise, its first reviews can come before the permissions."""
    functions = {
        name: str(resource["role"])
        for name, resource in MODULE.items()
        if name.startswith("aws_lambda_function.")
    }
    assert len(functions) == 5
    for name, role in functions.items():
        policies = {
            f"${{{policy}}}"
            for policy, resource in MODULE.items()
            if policy.startswith("aws_iam_role_policy.")
            and str(resource["role"]).replace(".id}", ".arn}") == role
        }
        assert {*MODULE[name]["depends_on"]} == policies, name


def test_the_owner_of_the_prefix_has_the_fields_of_the_template() -> None:
    text = Rendering(TEMPLATE, "shop", {}).resources["PrefixOwner"]["Properties"]["Value"]
    fields = json.loads(text)
    assert fields == {
        "stack": "shop",
        "bucket": "shop-Bundles",
        "bundlePrefix": "bundles/",
        "logGroup": "shop-WebhookLogs",
        "guard": "shop-Guard.Arn",
        "documents": 3,
    }
    value = MODULE["aws_ssm_parameter.prefix_owner"]["value"]
    assert re.findall(r'"?(\w+)"?\s*[:=] ', value) == list(fields)


@pytest.mark.parametrize("parameters", STACKS, ids=str)
@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("Cleanup", "cleanup_environment.json.tftpl"),
        ("Guard", "guard_environment.json.tftpl"),
        ("Rotation", "rotation_environment.json.tftpl"),
        ("Watch", "watch_environment.json.tftpl"),
        ("Webhook", "environment.json.tftpl"),
    ],
)
def test_a_function_has_the_environment_of_the_template(
    function: str, name: str, parameters: Mapping[str, Any]
) -> None:
    given = {"TokenRotationDays": 60, **parameters}
    stack = Rendering(TEMPLATE, "shop", given)
    expected = dict(stack.resources[function]["Properties"]["Environment"]["Variables"])
    expected.pop(SAM_HASH_VARIABLE, None)
    rendered = load(name, make_variables("shop", given))
    assert to_text(rendered) == to_text(expected)


@pytest.mark.parametrize("parameters", STACKS, ids=str)
def test_the_alarms_are_those_of_the_template(parameters: Mapping[str, Any]) -> None:
    stack = Rendering(TEMPLATE, "shop", parameters)
    alarms = {
        name: each["Properties"]
        for name, each in stack.resources.items()
        if each["Type"] == "AWS::CloudWatch::Alarm"
    }
    rendered = load("alarms.json.tftpl", make_variables("shop", parameters))
    assert select_alarms(find_conditions(stack)) == alarms.keys()
    assert alarms.keys() <= rendered.keys()
    for name, alarm in alarms.items():
        actual = dict(rendered[name])
        assert actual.pop("has_alarm_action", False) is bool(alarm.get("AlarmActions")) or (
            not parameters.get("AlarmTopicArn")
        )
        guard = "shop-Guard.Arn" in alarm.get("AlarmActions", ())
        assert actual.pop("has_guard_action", False) is guard
        actual.pop("has_ok_action", None)
        if "Dimensions" in alarm:
            dimensions = {each["Name"]: each["Value"] for each in alarm["Dimensions"]}
            assert actual.pop("dimensions") == dimensions
        queries = actual.pop("metric_query", [])
        assert len(queries) == len(alarm.get("Metrics", []))
        expected = {
            name_variable(key): value
            for key, value in alarm.items()
            if key not in {"AlarmActions", "OKActions", "Dimensions", "Metrics"}
        }
        assert to_text(actual) == to_text(expected)


def test_a_resource_has_the_condition_of_the_template() -> None:
    for name, resource in RESOURCES.items():
        if resource["Type"] not in IN_TEMPLATES:
            condition = resource.get("Condition")
            expected = condition and f"${{local.conditions.{name_condition(condition)} ? 1 : 0}}"
            assert MODULE[COUNTERPARTS[name]].get("count") == expected, name


def test_terraform_can_count_resources_with_inputs_that_it_creates() -> None:
    """A plan that also creates the certificate or the roles knows neither of their ARNs."""
    conditions = json.loads(FILES["variables.tf.json"])["locals"]["conditions"]
    assert conditions["has_domain"] == '${var.domain_name != ""}'
    assert conditions["has_policy_writers"] == "${length(var.policy_writer_arns) > 0}"
    for name, expression in conditions.items():
        # A plan knows the region, and SnapStart decides no number of resources.
        known = (
            expression
            if name != "is_snap_start"
            else re.sub(r"local\.(region|partition)", "", expression)
        )
        assert set(re.findall(r"\b(?:aws_|data|local|module)\w*", known)) == set()


@pytest.mark.parametrize("parameters", STACKS, ids=str)
def test_the_saved_queries_are_those_of_the_template(parameters: Mapping[str, Any]) -> None:
    stack = Rendering(TEMPLATE, "shop", parameters)
    assert load("queries.json.tftpl", make_variables("shop", parameters)) == {
        name: {name_variable(key): value for key, value in each["Properties"].items()}
        for name, each in stack.resources.items()
        if each["Type"] == "AWS::Logs::QueryDefinition"
    }
    query = MODULE["aws_cloudwatch_query_definition.webhook"]
    assert query["for_each"] == "${local.queries}"
    for key in ("name", "log_group_names", "query_string"):
        assert query[key] == f"${{each.value.{key}}}"


@pytest.mark.parametrize("parameters", STACKS, ids=str)
def test_the_access_log_is_that_of_the_template(parameters: Mapping[str, Any]) -> None:
    stack = Rendering(TEMPLATE, "shop", parameters)
    expected = stack.resources["Stage"]["Properties"]["AccessLogSettings"]["Format"]
    text = render("access_log_format.json.tftpl", make_variables("shop", parameters))
    assert text == expected
    assert json.loads(text)["service"] == "shop"
    [settings] = MODULE["aws_apigatewayv2_stage.webhook"]["access_log_settings"]
    assert "/access_log_format.json.tftpl" in settings["format"]


def test_the_metric_filter_is_that_of_the_template() -> None:
    expected = RESOURCES["ApiThrottles"]["Properties"]
    module = MODULE["aws_cloudwatch_log_metric_filter.api_throttles"]
    assert module["pattern"] == expected["FilterPattern"]
    assert module["log_group_name"] == "${aws_cloudwatch_log_group.api.name}"
    [transformation] = module["metric_transformation"]
    [metric] = expected["MetricTransformations"]
    [dimension] = metric["Dimensions"]
    assert strip_marks(transformation) == {
        "namespace": metric["MetricNamespace"],
        "name": metric["MetricName"],
        "value": metric["MetricValue"],
        "unit": metric["Unit"],
        "dimensions": {dimension["Key"]: dimension["Value"]},
    }


def test_the_schedules_are_those_of_the_template() -> None:
    rules = [RESOURCES[name]["Properties"] for name in ("ReviewSchedule", "ClusterSchedule")]
    assert list(LOCALS["schedules"].values()) == [
        {
            "description": rule["Description"],
            "schedule": rule["ScheduleExpression"],
            "input": target["Input"],
        }
        for rule in rules
        for target in rule["Targets"]
    ]
    for kind in ("cloudwatch_event_rule", "cloudwatch_event_target", "lambda_permission"):
        assert MODULE[f"aws_{kind}.watch"]["for_each"] == "${local.schedules}"
    permission = RESOURCES["ReviewScheduleMayInvoke"]["Properties"]
    module = MODULE["aws_lambda_permission.watch"]
    assert module["action"] == permission["Action"]
    assert module["principal"] == permission["Principal"]
    assert module["source_arn"] == "${aws_cloudwatch_event_rule.watch[each.key].arn}"
    assert module["function_name"] == "${aws_lambda_function.watch.function_name}"
    assert MODULE["aws_cloudwatch_event_target.watch"]["arn"] == "${aws_lambda_function.watch.arn}"


@pytest.mark.parametrize(("name", "index"), [("Cleanup", ""), ("Rotation", "[0]")])
def test_a_function_has_the_schedule_of_the_template(name: str, index: str) -> None:
    own = f"{name.lower()}{index}"
    rule = RESOURCES[f"{name}Schedule"]["Properties"]
    module = MODULE[f"aws_cloudwatch_event_rule.{name.lower()}"]
    assert module["description"] == rule["Description"]
    assert module["schedule_expression"] == rule["ScheduleExpression"]
    target = MODULE[f"aws_cloudwatch_event_target.{name.lower()}"]
    assert target["arn"] == f"${{aws_lambda_function.{own}.arn}}"
    assert target["input"] == rule["Targets"][0]["Input"]
    permission = MODULE[f"aws_lambda_permission.{name.lower()}"]
    expected = RESOURCES[f"{name}ScheduleMayInvoke"]["Properties"]
    assert (permission["action"], permission["principal"]) == (
        expected["Action"],
        expected["Principal"],
    )
    assert permission["source_arn"] == f"${{aws_cloudwatch_event_rule.{own}.arn}}"


def test_gradual_deployments_are_not_part_of_the_module() -> None:
    variables = json.loads(FILES["variables.tf.json"])["variable"]
    assert "retained_versions" in variables
    assert "gradual_deployment" not in variables
    readme = " ".join((FOLDER / "README.md").read_text().split())
    assert "It has no `GradualDeployment`." in readme
    assert not [address for address in MODULE if "codedeploy" in address]


@pytest.mark.parametrize("parameters", STACKS, ids=str)
def test_the_dashboard_is_that_of_the_template(parameters: Mapping[str, Any]) -> None:
    stack = Rendering(TEMPLATE, "shop", parameters)
    expected = stack.resources["Dashboard"]["Properties"]["DashboardBody"]
    assert render("dashboard.json.tftpl", make_variables("shop", parameters)) == expected
    assert json.loads(expected)


def test_the_event_rule_is_that_of_the_template() -> None:
    parameters = {"PolicyWriterArns": ["arn:a", "arn:b"], "AlarmTopicArn": "arn:topic"}
    stack = Rendering(TEMPLATE, "shop", parameters)
    rule = stack.resources["PolicyWriteRule"]["Properties"]
    rendered = load("policy_writes.json.tftpl", make_variables("shop", parameters))
    assert rendered["pattern"] == rule["EventPattern"]
    assert rendered["message"] == rule["Targets"][0]["InputTransformer"]["InputTemplate"]
    assert rendered["paths"] == rule["Targets"][0]["InputTransformer"]["InputPathsMap"]


def test_a_change_of_the_private_api_removes_no_vpc_endpoint() -> None:
    """By default, the provider replaces the API with the definition, which has no endpoints.

    It adds them again afterwards (``resourceRestAPIWithBodyUpdateOperations`` of the provider), and
    until then, the names with the endpoint do not exist. CloudFormation merges.
    """
    assert MODULE["aws_api_gateway_rest_api.private"]["put_rest_api_mode"] == "merge"


def test_the_private_api_is_that_of_the_template() -> None:
    parameters = {"VpcEndpointIds": ["vpce-0a1b2c3d", "vpce-4e5f6a7b"]}
    api = Rendering(TEMPLATE, "shop", parameters).resources["PrivateApi"]["Properties"]
    rendered = load("private_api.json.tftpl", make_variables("shop", parameters))
    uris = [each["x-amazon-apigateway-integration"].pop("uri") for each in find_methods(rendered)]
    assert all("${alias_arn}" not in uri and ":lambda:path/" in uri for uri in uris)
    for each in find_methods(api["DefinitionBody"]):
        each["x-amazon-apigateway-integration"].pop("uri", None)
    assert rendered == api["DefinitionBody"]
    [endpoint] = MODULE["aws_api_gateway_rest_api.private"]["endpoint_configuration"]
    assert endpoint["types"] == [api["EndpointConfiguration"]["Type"]]
    assert MODULE["aws_api_gateway_stage.private"]["stage_name"] == api["StageName"]


def find_methods(document: Any) -> list[Any]:
    """Each method of an OpenAPI document."""
    return [method for path in document["paths"].values() for method in path.values()]


def test_each_resource_has_a_counterpart() -> None:
    """Add a new resource of template.yaml to deploy/terraform/*.tf, and to COUNTERPARTS."""
    names = {name for name, each in RESOURCES.items() if each["Type"] not in IN_TEMPLATES}
    assert names == COUNTERPARTS.keys()
    assert {*COUNTERPARTS.values(), *PARTS} == MODULE.keys()


def test_each_parameter_has_a_variable() -> None:
    variables = json.loads(FILES["variables.tf.json"])["variable"]
    for name in TEMPLATE["Parameters"].keys() - SAM_PARAMETERS:
        parameter = TEMPLATE["Parameters"][name]
        variable = variables[name_variable(name)]
        if variable["type"] != "list(string)":
            assert str(variable["default"]) == str(parameter["Default"])
        limits = {"AllowedValues", "AllowedPattern", "MinValue", "MaxValue"} & parameter.keys()
        assert len(variable.get("validation", [])) == len(limits)


def test_each_output_is_there() -> None:
    outputs = strip_quotes(hcl2.loads((FOLDER / "outputs.tf").read_text()))["output"]
    names = {name for each in outputs for name in each}
    assert names == {
        name_variable(name)
        for name, output in TEMPLATE["Outputs"].items()
        if output.get("Condition") not in SAM_CONDITIONS
    }


def test_each_rule_is_a_precondition() -> None:
    texts = "".join(path.read_text() for path in FOLDER.glob("*.tf"))
    count = texts.count("precondition {")
    paired = 2  # rules with two assertions in one precondition: mutual TLS, and DNS
    asserted = sum(len(each["Assertions"]) for each in TEMPLATE["Rules"].values())
    gradual = 1  # the deployments that the module does not have
    further = 3  # numbers, texts, and lengths, which rules cannot compare
    assert count == asserted - paired - gradual + further


def test_the_limits_of_the_endpoint_are_those_of_the_template() -> None:
    stage = RESOURCES["Stage"]["Properties"]
    [throttling] = MODULE["aws_apigatewayv2_stage.webhook"]["default_route_settings"]
    assert {name_variable(key): value for key, value in stage["DefaultRouteSettings"].items()} == {
        key: {"Ref": _parameter(value)} for key, value in throttling.items()
    }
    integration = RESOURCES["Integration"]["Properties"]
    module = MODULE["aws_apigatewayv2_integration.webhook"]
    assert module["timeout_milliseconds"] == integration["TimeoutInMillis"]
    assert module["payload_format_version"] == integration["PayloadFormatVersion"]
    routes = {
        each["Properties"]["RouteKey"]
        for each in RESOURCES.values()
        if each["Type"] == "AWS::ApiGatewayV2::Route"
    }
    keys = re.findall(r'"([^"]+)"', MODULE["aws_apigatewayv2_route.webhook"]["for_each"])
    assert set(keys) == routes
    permission = RESOURCES["ApiMayInvoke"]["Properties"]
    module = MODULE["aws_lambda_permission.api"]
    assert (module["action"], module["principal"]) == (
        permission["Action"],
        permission["Principal"],
    )


def _parameter(reference: str) -> str:
    """The parameter of ``${var.name}``."""
    [name] = re.findall(r"var\.(\w+)", reference)
    [parameter] = [each for each in TEMPLATE["Parameters"] if name_variable(each) == name]
    return parameter


@pytest.mark.parametrize("name", ["Guard", "Rotation", "Watch", "Webhook"])
def test_a_function_has_the_settings_of_the_template(name: str) -> None:
    function = RESOURCES[name]["Properties"]
    module = MODULE[COUNTERPARTS[name]]
    for key in ("Description", "Handler", "MemorySize", "Runtime", "Timeout"):
        match function[key]:
            case {"Ref": parameter}:
                assert _parameter(module[name_variable(key)]) == parameter
            case value:
                assert module[name_variable(key)] == value
    [logging] = module["logging_config"]
    group = logging.pop("log_group")
    expected = {name_variable(key): value for key, value in function["LoggingConfig"].items()}
    counted = "[0]" if name == "Rotation" else ""
    assert group == f"${{{COUNTERPARTS[expected.pop('log_group')['Ref']]}{counted}.name}}"
    assert logging == expected
    layers = [f"${{{COUNTERPARTS[each['Ref']]}.arn}}" for each in function.get("Layers", ())]
    assert module.get("layers", []) == layers
    role = function["Role"]["GetAtt"].removesuffix(".Arn")
    assert module["role"] == f"${{{COUNTERPARTS[role]}{counted}.arn}}"


def test_each_start_uses_the_alias_of_the_template() -> None:
    function = RESOURCES["Webhook"]["Properties"]
    module = MODULE["aws_lambda_function.webhook"]
    assert MODULE["aws_lambda_alias.live"]["name"] == function["AutoPublishAlias"]
    assert module["publish"] in (True, "true")


def test_the_bucket_is_private_encrypted_and_versioned() -> None:
    bucket = RESOURCES["Bundles"]["Properties"]
    access = MODULE["aws_s3_bucket_public_access_block.bundles"]
    expected = bucket["PublicAccessBlockConfiguration"]
    assert {key: access[key] for key in map(name_variable, expected)} == {
        name_variable(key): value for key, value in expected.items()
    }
    rules = MODULE["aws_s3_bucket_lifecycle_configuration.bundles"]["rule"]
    assert [each["id"] for each in rules] == [
        each["Id"] for each in bucket["LifecycleConfiguration"]["Rules"]
    ]
    numbers = re.findall(r"(?:days_after_initiation|noncurrent_days)\W+(\d+)", json.dumps(rules))
    assert numbers == re.findall(r"Days\w*\W+(\d+)", json.dumps(bucket["LifecycleConfiguration"]))
    policy = MODULE["aws_s3_bucket_policy.bundles"]["policy"]
    for text in ("TlsOnly", "Deny", "aws:SecureTransport"):
        assert text in policy


@pytest.mark.parametrize(
    "alarm",
    [
        {"Type": "AWS::CloudWatch::Alarm", "Properties": {"Unit": "Seconds"}},
        {"Type": "AWS::CloudWatch::Alarm", "Properties": {"AlarmActions": ["arn:a"]}},
    ],
)
def test_an_unsupported_alarm_is_an_error(alarm: Any) -> None:
    with pytest.raises(UnsupportedError, match="NewAlarm: "):
        dict(find_alarms({"NewAlarm": alarm}))


def test_an_alarm_can_have_an_expression() -> None:
    query = {"Id": "a", "Expression": "FILL(b, 0)", "ReturnData": True}
    dimensions = [{"Name": "service", "Value": {"Ref": "AWS::StackName"}}]
    metric = {"Namespace": "podgraft", "MetricName": "m", "Dimensions": dimensions}
    stat = {"Metric": metric, "Period": 60, "Stat": "Sum"}
    properties = {"Metrics": [query, {"Id": "b", "MetricStat": stat, "ReturnData": False}]}
    alarm = {"Type": "AWS::CloudWatch::Alarm", "Properties": properties}
    assert dict(find_alarms({"A": alarm}))["A"]["metric_query"] == [
        {"id": "a", "expression": "FILL(b, 0)", "return_data": True},
        {
            "id": "b",
            "return_data": False,
            "metric": {
                "dimensions": {"service": "${name}"},
                "metric_name": "m",
                "namespace": "podgraft",
                "period": 60,
                "stat": "Sum",
            },
        },
    ]


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ({"Or": [{"Equals": ["a", "b"]}]}, "condition .*: unsupported"),
        ({"Equals": [{"Join": ["", {"Ref": "Names"}]}, ""]}, "value .*: unsupported"),
        ({"Equals": [{"Ref": "Names"}, ""]}, "value .*: unsupported"),
    ],
)
def test_an_unsupported_condition_is_an_error(condition: Any, message: str) -> None:
    parameters = {"Names": {"Type": "CommaDelimitedList"}}
    with pytest.raises(UnsupportedError, match=message):
        make_conditions({"Parameters": parameters, "Conditions": {"New": condition}})


@pytest.mark.parametrize(
    "query",
    [{"Condition": "HasTopic", "Properties": {}}, {"Properties": {"Parameters": []}}],
)
def test_an_unsupported_query_is_an_error(query: Any) -> None:
    with pytest.raises(UnsupportedError, match="NewQuery: "):
        dict(find_queries({"NewQuery": {"Type": "AWS::Logs::QueryDefinition", **query}}))


def test_an_unknown_attribute_is_an_error() -> None:
    with pytest.raises(UnsupportedError, match=r"Queue.Arn: no counterpart in the module"):
        convert({"GetAtt": "Queue.Arn"})


def test_the_provider_waits_for_the_weights_of_an_alias() -> None:
    """An earlier one fails if a new version and the provisioned concurrency come together."""
    document = strip_quotes(hcl2.loads((FOLDER / "versions.tf").read_text()))
    [settings] = document["terraform"]
    [providers] = settings["required_providers"]
    version = strip_marks(providers["aws"])["version"].removeprefix(">= ")
    assert tuple(map(int, version.split("."))) >= (6, 58)


def test_the_access_log_is_below_the_prefix_of_the_template() -> None:
    stack = Rendering(TEMPLATE, "shop", {})
    name = MODULE["aws_cloudwatch_log_group.api"]["name"]
    expected = stack.resources["ApiLogs"]["Properties"]["LogGroupName"]
    assert name.replace("${var.name}", "shop") == expected


def test_every_condition_that_a_file_reads_is_defined() -> None:
    read = {
        name
        for path in sorted(FOLDER.glob("*.tf*"))
        for name in re.findall(r"local\.conditions\.(\w+)", path.read_text())
    }
    variables = json.loads((FOLDER / "variables.tf.json").read_text())
    assert read
    assert read <= variables["locals"]["conditions"].keys()
