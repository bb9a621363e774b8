"""The Terraform module has the resources, permissions, and limits of template.yaml."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest

import terraform_module
from layers.cloudformation import TEMPLATE, Rendering
from terraform.templates import FOLDER, load, render
from terraform_module import UnsupportedError, convert, find_alarms, name_variable, render_files

hcl2: Any = pytest.importorskip("hcl2")

FILES = render_files(terraform_module.read_template())
# The resource of the module for each resource of template.yaml. Alarms are in alarms.json.tftpl.
COUNTERPARTS = {
    "Api": "aws_apigatewayv2_api.webhook",
    "ApiLogs": "aws_cloudwatch_log_group.api",
    "ApiMayInvoke": "aws_lambda_permission.api",
    "Bundles": "aws_s3_bucket.bundles",
    "BundlesPolicy": "aws_s3_bucket_policy.bundles",
    "Dashboard": "aws_cloudwatch_dashboard.webhook",
    "DependenciesLayer": "aws_lambda_layer_version.dependencies",
    "Domain": "aws_apigatewayv2_domain_name.webhook",
    "DomainMapping": "aws_apigatewayv2_api_mapping.webhook",
    "EngineLayer": "aws_lambda_layer_version.engine",
    "HealthRoute": "aws_apigatewayv2_route.webhook",
    "Integration": "aws_apigatewayv2_integration.webhook",
    "PingRoute": "aws_apigatewayv2_route.webhook",
    "PolicyWriteRule": "aws_cloudwatch_event_rule.policy_writes",
    "PrefixOwner": "aws_ssm_parameter.prefix_owner",
    "ReadyRoute": "aws_apigatewayv2_route.webhook",
    "ReviewRoute": "aws_apigatewayv2_route.webhook",
    "Stage": "aws_apigatewayv2_stage.webhook",
    "Webhook": "aws_lambda_function.webhook",
    "WebhookLogs": "aws_cloudwatch_log_group.webhook",
    "WebhookRole": "aws_iam_role.webhook",
}
# Resources of the module for parts of one resource of the template.
PARTS = {
    "aws_cloudwatch_event_target.policy_writes",
    "aws_cloudwatch_metric_alarm.webhook",
    "aws_iam_role_policy.tracing",
    "aws_iam_role_policy.webhook",
    "aws_lambda_alias.live",
    "aws_lambda_provisioned_concurrency_config.live",
    "aws_s3_bucket_lifecycle_configuration.bundles",
    "aws_s3_bucket_ownership_controls.bundles",
    "aws_s3_bucket_public_access_block.bundles",
    "aws_s3_bucket_server_side_encryption_configuration.bundles",
    "aws_s3_bucket_versioning.bundles",
}
STACKS: tuple[Mapping[str, Any], ...] = (
    {},
    {"Tracing": "Active", "ParameterPrefix": "/team/podgraft", "BundlePrefix": "b/"},
    {
        "Auth": "mtls",
        "DomainName": "a.example",
        "CertificateArn": "arn:c",
        "TruststoreUri": "s3://a/b",
        "AlarmTopicArn": "arn:topic",
        "LatencyAlarmMilliseconds": 500,
    },
)
RESOURCES = TEMPLATE["Resources"]


def strip_quotes(value: Any) -> Any:
    """The document of hcl2 without the quotes of its strings, and without its marks."""
    match value:
        case dict():
            items = cast("dict[str, Any]", value).items()
            return {
                key.strip('"'): strip_quotes(each)
                for key, each in items
                if key not in {"__is_block__", "__comments__"}
            }
        case list():
            return list(map(strip_quotes, cast("list[Any]", value)))
        case str():
            return value.strip('"').replace('\\"', '"')
        case _:
            return value


def read_resources() -> dict[str, Any]:
    """Each resource of the module by its address."""
    return {
        f"{kind}.{name}": body
        for path in sorted(FOLDER.glob("*.tf"))
        for resource in strip_quotes(hcl2.loads(path.read_text())).get("resource", ())
        for kind, names in resource.items()
        for name, body in names.items()
    }


MODULE = read_resources()


def make_variables(stack: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What the module sets for its templates, with the names of ``Rendering``."""
    defaults = {name: each["Default"] for name, each in TEMPLATE["Parameters"].items()}
    values = {**defaults, **parameters}
    return {
        **{f"var_{name_variable(name)}": value for name, value in values.items()},
        "account_id": "accountid",
        "api_id": f"{stack}-Api",
        "bucket": f"{stack}-Bundles",
        "bucket_arn": f"{stack}-Bundles.Arn",
        "function_name": f"{stack}-Webhook",
        "is_traced": values["Tracing"] == "Active",
        "log_group": f"{stack}-WebhookLogs",
        "log_group_arn": f"{stack}-WebhookLogs.Arn",
        "name": stack,
        "parameter_prefix": values["ParameterPrefix"] or f"/{stack}",
        "partition": "partition",
        "region": "region",
    }


def to_text(value: Any) -> Any:
    """Numbers as text: CloudFormation and Terraform convert both."""
    match value:
        case dict():
            items = cast("dict[str, Any]", value).items()
            return {key: to_text(each) for key, each in items}
        case list():
            return list(map(to_text, cast("list[Any]", value)))
        case bool():
            return value
        case _:
            return str(value)


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
    policies = ["webhook", *(["tracing"] if parameters.get("Tracing") == "Active" else [])]
    assert [permissions[name] for name in policies] == [
        each["PolicyDocument"] for each in role["Policies"]
    ]
    assert [each["PolicyName"] for each in role["Policies"]] == policies
    assert MODULE["aws_iam_role_policy.tracing"]["count"] == "${local.is_traced ? 1 : 0}"


@pytest.mark.parametrize("parameters", STACKS, ids=str)
def test_the_function_has_the_environment_of_the_template(parameters: Mapping[str, Any]) -> None:
    stack = Rendering(TEMPLATE, "shop", parameters)
    expected = stack.resources["Webhook"]["Properties"]["Environment"]["Variables"]
    rendered = load("environment.json.tftpl", make_variables("shop", parameters))
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
    assert rendered.keys() == alarms.keys()
    for name, alarm in alarms.items():
        actual = dict(rendered[name])
        assert actual.pop("has_alarm_action", False) is bool(alarm.get("AlarmActions")) or (
            not parameters.get("AlarmTopicArn")
        )
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


@pytest.mark.parametrize("parameters", STACKS, ids=str)
def test_the_dashboard_is_that_of_the_template(parameters: Mapping[str, Any]) -> None:
    stack = Rendering(TEMPLATE, "shop", parameters)
    expected = stack.resources["Dashboard"]["Properties"]["DashboardBody"]
    assert render("dashboard.json.tftpl", make_variables("shop", parameters)) == expected
    assert json.loads(expected)


def test_the_event_rule_is_that_of_the_template() -> None:
    parameters: Any = {"PolicyWriterArns": ["arn:a", "arn:b"], "AlarmTopicArn": "arn:topic"}
    stack = Rendering(TEMPLATE, "shop", parameters)
    rule = stack.resources["PolicyWriteRule"]["Properties"]
    rendered = load("policy_writes.json.tftpl", make_variables("shop", parameters))
    assert rendered["pattern"] == rule["EventPattern"]
    assert rendered["message"] == rule["Targets"][0]["InputTransformer"]["InputTemplate"]
    assert rendered["paths"] == rule["Targets"][0]["InputTransformer"]["InputPathsMap"]


def test_each_resource_has_a_counterpart() -> None:
    """Add a new resource of template.yaml to terraform/*.tf, and to COUNTERPARTS."""
    names = {name for name, each in RESOURCES.items() if each["Type"] != "AWS::CloudWatch::Alarm"}
    assert names == COUNTERPARTS.keys()
    assert {*COUNTERPARTS.values(), *PARTS} == MODULE.keys()


def test_each_parameter_has_a_variable() -> None:
    variables = json.loads(FILES["variables.tf.json"])["variable"]
    for name, parameter in TEMPLATE["Parameters"].items():
        variable = variables[name_variable(name)]
        if variable["type"] != "list(string)":
            assert variable["default"] == parameter["Default"]
        limits = {"AllowedValues", "AllowedPattern", "MinValue", "MaxValue"} & parameter.keys()
        assert len(variable.get("validation", [])) == len(limits)


def test_each_output_is_there() -> None:
    outputs = strip_quotes(hcl2.loads((FOLDER / "outputs.tf").read_text()))["output"]
    names = {name for each in outputs for name in each}
    assert names == {name_variable(name) for name in TEMPLATE["Outputs"]}


def test_each_rule_is_a_precondition() -> None:
    texts = "".join(path.read_text() for path in FOLDER.glob("*.tf"))
    count = texts.count("precondition {")
    mutual_tls = 2  # assertions in one precondition
    asserted = sum(len(each["Assertions"]) for each in TEMPLATE["Rules"].values())
    assert count == asserted - (mutual_tls - 1)


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


def test_the_function_has_the_settings_of_the_template() -> None:
    function = RESOURCES["Webhook"]["Properties"]
    module = MODULE["aws_lambda_function.webhook"]
    assert (module["handler"], module["timeout"]) == (function["Handler"], function["Timeout"])
    references = {"memory_size": "MemorySize", "runtime": "Runtime"}
    for key, name in references.items():
        assert _parameter(module[key]) == function[name]["Ref"]
    [logging] = module["logging_config"]
    expected = {name_variable(key): value for key, value in function["LoggingConfig"].items()}
    assert {**logging, "log_group": None} == {**expected, "log_group": None}
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
        {"Type": "AWS::CloudWatch::Alarm", "Condition": "HasTopic", "Properties": {}},
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


def test_an_unknown_attribute_is_an_error() -> None:
    with pytest.raises(UnsupportedError, match=r"Queue.Arn: no counterpart in the module"):
        convert({"GetAtt": "Queue.Arn"})


def run_terraform(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Terraform without a provider, a registry, and colors."""
    configuration = folder / "terraform.rc"
    configuration.touch()
    return subprocess.run(
        ["terraform", *arguments],
        cwd=folder,
        env={**os.environ, "CHECKPOINT_DISABLE": "1", "TF_CLI_CONFIG_FILE": str(configuration)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def evaluation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The variables and templates of the module, with outputs instead of resources."""
    if shutil.which("terraform") is None:
        pytest.skip("needs terraform")
    folder = tmp_path_factory.mktemp("terraform")
    for name in FILES:
        shutil.copy(FOLDER / name, folder)
    variables = make_variables("shop", {})
    context = {name: each for name, each in variables.items() if not name.startswith("var_")}
    context |= {"is_traced": '${var.tracing == "Active"}'}
    outputs = {
        name.split(".")[0]: {
            "value": f'${{templatefile("{name}", merge(local.parameters, local.context))}}'
        }
        for name in FILES
        if name.endswith(".tftpl")
    }
    document = {"locals": {"context": context}, "output": outputs}
    (folder / "main.tf.json").write_text(json.dumps(document))
    done = run_terraform(folder, "init", "-no-color")
    assert done.returncode == 0, done.stderr
    return folder


def test_terraform_renders_the_same_templates(evaluation: Path) -> None:
    done = run_terraform(evaluation, "apply", "-auto-approve", "-no-color", "-var=tracing=Active")
    assert done.returncode == 0, done.stderr
    outputs = json.loads(run_terraform(evaluation, "output", "-json").stdout)
    variables = make_variables("shop", {"Tracing": "Active", "PolicyWriterArns": []})
    for name in FILES:
        if name.endswith(".tftpl"):
            assert outputs[name.split(".")[0]]["value"] == render(name, variables)


@pytest.mark.parametrize(
    ("variable", "message"),
    [
        ("architecture=riscv", "Use one of arm64, x86_64."),
        ("parameter_prefix=podgraft", "must be a path such as /team/podgraft, or empty"),
        ("memory_size=128", "Use at least 256."),
        ("memory_size=99999", "Use at most 10240."),
        ("log_retention_days=2", "Use one of 1, 3, 5, 7"),
    ],
)
def test_terraform_rejects_what_the_template_rejects(
    evaluation: Path, variable: str, message: str
) -> None:
    done = run_terraform(evaluation, "plan", "-no-color", f"-var={variable}")
    assert done.returncode == 1
    assert message in " ".join(done.stderr.replace("│", " ").split())


def test_the_module_is_formatted() -> None:
    if shutil.which("terraform") is None:
        pytest.skip("needs terraform")
    done = subprocess.run(
        ["terraform", "fmt", "-check", str(FOLDER)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


_SCHEMA = json.loads(Path(__file__).with_name("schema.json").read_text())
_META = {"count", "depends_on", "for_each", "lifecycle", "provider"}


@pytest.mark.parametrize("address", [*MODULE])
def test_the_provider_has_the_arguments_of_a_resource(address: str) -> None:
    """Recorded from the schema of the provider: run record_schema.py for another release."""
    body = {key: each for key, each in MODULE[address].items() if key not in _META}
    assert find_problems(body, _SCHEMA[address.partition(".")[0]]) == []


def find_problems(body: Mapping[str, Any], schema: Mapping[str, Any]) -> list[str]:
    """Unknown and missing arguments of a resource and of its blocks."""
    dynamic = {
        name: each["content"] for item in body.get("dynamic", ()) for name, each in item.items()
    }
    given = {key: each for key, each in body.items() if key != "dynamic"} | dynamic
    problems = [f"unknown: {key}" for key in given if key not in schema]
    problems += [
        f"missing: {key}" for key, each in schema.items() if each["required"] and key not in given
    ]
    for key, value in given.items():
        arguments = schema.get(key, {}).get("arguments")
        if arguments is None or not isinstance(value, list):
            continue
        for block in cast("list[Any]", value):
            problems += find_problems(block, arguments)
    return problems


def test_an_unknown_argument_is_found() -> None:
    schema = _SCHEMA["aws_lambda_alias"]
    assert find_problems({"name": "a", "function_names": "b"}, schema) == [
        "unknown: function_names",
        "missing: function_name",
        "missing: function_version",
    ]
