"""Two stacks of the template in one account and region share nothing."""

import copy
import json
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from layers.cloudformation import TEMPLATE, Rendering

ROOT = Path(__file__).parents[2]
CONFIG = tomllib.loads((ROOT / "samconfig.toml").read_text())
STAGES = ("default", "prod")

# Names that are no resource's own: each is of something that is named before it.
_NAMED_ELSEWHERE = {
    ("AWS::ApiGatewayV2::Stage", "StageName"),  # of the API
    ("AWS::CloudWatch::Alarm", "MetricName"),  # with the dimensions
}
# Variables that name nothing.
_CHOICES = {
    "PODGRAFT_RELEASE",
    "PODGRAFT_STORE",
    "PODGRAFT_BUNDLE_PREFIX",  # in the stack's own bucket
    "PODGRAFT_AUTH",
    "PODGRAFT_REFRESH_SECONDS",
    "PODGRAFT_SIGNER",
    "PODGRAFT_REQUIRE_SIGNATURE",
    "PODGRAFT_CLUSTER_METRICS",
    "POWERTOOLS_METRICS_NAMESPACE",
    "POWERTOOLS_TRACE_DISABLED",
    "CLEANUP_ALIAS",  # of the function of the stack
    "CLEANUP_COUNT",
    "PROBE_ALIAS",
    "PROBE_EXPECTED_CHANGES",
    "WATCH_EXPECTED",  # decisions of injectors of the stack
    "WATCH_SILENT_HOURS",
}
# Statements without resources: X-Ray and the metrics of CloudWatch have none.
_NO_RESOURCES = {"WriteTraces", "ReadMetrics", "DenyCensusKeys"}


def deploy(stage: str) -> tuple[str, dict[str, str]]:
    """The name and the parameters of a stage of samconfig.toml."""
    given = CONFIG[stage]["deploy"]["parameters"]
    pairs = (pair.split("=", 1) for pair in given["parameter_overrides"].split())
    return given["stack_name"], dict(pairs)


def shared(template: Any) -> list[str]:
    """Return what two stacks share, each by the path of the value in the template."""
    first, second = (Rendering(template, *deploy(stage)) for stage in STAGES)
    found: list[str] = []
    for name, resource in first.resources.items():
        twins = dict(_identities(second.resources[name]))
        found.extend(
            f"{name}.{path}"
            for path, value in _identities(resource)
            if not value or value == twins[path]
        )
    found.extend(f"Outputs.{k}" for k in first.outputs if not _differ(first, second, k))
    return found


def _differ(first: Rendering, second: Rendering, output: str) -> bool:
    choice = output in {"BundlePrefix", "SnapStart"}  # a prefix in the stack's own bucket
    return choice or first.outputs[output]["Value"] != second.outputs[output]["Value"]


def _identities(resource: Any) -> Iterator[tuple[str, Any]]:
    """Every value that must be there, and be another in another stack."""
    kind, properties = resource["Type"], resource.get("Properties", {})
    for key, value in properties.items():
        if key.endswith("Name") and (kind, key) not in _NAMED_ELSEWHERE:
            yield key, value
    for variable, value in properties.get("Environment", {}).get("Variables", {}).items():
        if variable not in _CHOICES and value:  # without a census, its bucket is empty
            yield variable, value
    match kind:
        case "AWS::CloudWatch::Alarm":
            yield "Dimensions", properties.get("Dimensions")
        case "AWS::CloudWatch::Dashboard":
            yield from _widgets(json.loads(properties["DashboardBody"]))
        case "AWS::IAM::Role":
            yield from _permissions(properties.get("Policies", []))
        case _:
            return


def _permissions(policies: Any) -> Iterator[tuple[str, Any]]:
    for policy in policies:
        for statement in policy["PolicyDocument"]["Statement"]:
            if statement["Sid"] not in _NO_RESOURCES:
                yield statement["Sid"], statement["Resource"]


def _widgets(body: Any) -> Iterator[tuple[str, Any]]:
    """The dimensions of each row, which abbreviates what it repeats of the row above."""
    for number, widget in enumerate(body["widgets"]):
        if widget["type"] == "log":
            yield f"{number}/query", widget["properties"]["query"]
            continue
        above: list[str] = []
        for row, metric in enumerate(widget["properties"]["metrics"]):
            words = [each for each in metric if isinstance(each, str)]
            if not words:
                yield f"{number}/{row}", metric[0]["expression"]
                continue
            complete = above if words == ["..."] else words
            above = [above[i] if each == "." else each for i, each in enumerate(complete)]
            yield f"{number}/{row}", above[2:]


def test_the_stages_of_samconfig_share_nothing() -> None:
    assert shared(TEMPLATE) == []


def test_the_stages_share_nothing_with_gradual_deployments() -> None:
    template = copy.deepcopy(TEMPLATE)
    template["Parameters"]["GradualDeployment"]["Default"] = "true"
    template["Parameters"]["Census"]["Default"] = "true"
    assert shared(template) == []


def test_what_is_written_into_the_template_is_no_name() -> None:
    """A constant with the product's name in it would be the same in every stack."""
    rendering = Rendering(TEMPLATE, "STACK", {})
    constants = {path for path, text in _strings(rendering.resources) if "podgraft" in text}
    # A namespace has the stack in its names.
    prose = ("Description", "/Namespace", "/MetricNamespace", "/ApiLogs/Properties/LogGroupName")
    expected = {path for path in constants if path.endswith(prose)}
    dashboard = "/Dashboard/Properties/DashboardBody"  # the namespace of its metrics
    namespace = "/Webhook/Properties/Environment/Variables/POWERTOOLS_METRICS_NAMESPACE"
    assert constants == expected | {dashboard, namespace}


def _strings(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, each in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield from _strings(each, f"{path}/{key}")
    elif isinstance(value, list):
        for number, each in enumerate(value):  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
            yield from _strings(each, f"{path}/{number}")


def _fixed_log_group(resources: Any) -> None:
    resources["WebhookLogs"]["Properties"]["LogGroupName"] = "/podgraft/webhook"


def _fixed_dimension(resources: Any) -> None:
    dimensions = [{"Name": "service", "Value": "podgraft"}]
    resources["ErrorsAlarm"]["Properties"]["Dimensions"] = dimensions


def _no_dimension(resources: Any) -> None:
    del resources["ErrorsAlarm"]["Properties"]["Dimensions"]


def _new_queue(resources: Any) -> None:
    resources["Queue"] = {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "reviews"}}


def _fixed_parameter(resources: Any) -> None:
    resources["PrefixOwner"]["Properties"]["Name"] = "/podgraft/stack"


def _fixed_variable(resources: Any) -> None:
    variables = resources["Webhook"]["Properties"]["Environment"]["Variables"]
    variables["PODGRAFT_PARAMETER_PREFIX"] = "/podgraft"


def _new_variable(resources: Any) -> None:
    resources["Webhook"]["Properties"]["Environment"]["Variables"]["PODGRAFT_TABLE"] = "callers"


def _fixed_permission(resources: Any) -> None:
    statement = resources["WebhookRole"]["Properties"]["Policies"][0]["PolicyDocument"]
    statement["Statement"][0]["Resource"] = "arn:aws:ssm:::parameter/podgraft/*/policy"


def _fixed_row(resources: Any) -> None:
    body = resources["Dashboard"]["Properties"]["DashboardBody"]
    body["Sub"] = body["Sub"].replace('"service", "${AWS::StackName}"', '"service", "x"', 1)


MUTATIONS: tuple[tuple[Callable[[Any], None], str], ...] = (
    (_fixed_log_group, "WebhookLogs.LogGroupName"),
    (_fixed_dimension, "ErrorsAlarm.Dimensions"),
    (_no_dimension, "ErrorsAlarm.Dimensions"),
    (_new_queue, "Queue.QueueName"),
    (_fixed_parameter, "PrefixOwner.Name"),
    (_fixed_variable, "Webhook.PODGRAFT_PARAMETER_PREFIX"),
    (_new_variable, "Webhook.PODGRAFT_TABLE"),
    (_fixed_permission, "WebhookRole.ReadPolicies"),
    (_fixed_row, "Dashboard.0/0"),
)


@pytest.mark.parametrize(("mutate", "path"), MUTATIONS, ids=[each[1] for each in MUTATIONS])
def test_what_a_change_would_share_is_found(mutate: Callable[[Any], None], path: str) -> None:
    template = copy.deepcopy(TEMPLATE)
    mutate(template["Resources"])
    assert path in shared(template)


PREFIXES: tuple[tuple[str, dict[str, str], str], ...] = (
    ("podgraft-dev", {}, "/podgraft-dev"),
    ("podgraft", {}, "/podgraft"),
    ("podgraft-dev", {"ParameterPrefix": "/podgraft"}, "/podgraft"),
    ("sidecars", {"ParameterPrefix": "/team/sidecars"}, "/team/sidecars"),
)


@pytest.mark.parametrize(("stack", "parameters", "prefix"), PREFIXES)
def test_the_prefix_is_the_stacks_name_unless_it_is_set(
    stack: str, parameters: dict[str, str], prefix: str
) -> None:
    rendering = Rendering(TEMPLATE, stack, parameters)
    function, owner = (rendering.resources[name] for name in ("Webhook", "PrefixOwner"))
    variables = function["Properties"]["Environment"]["Variables"]
    assert variables["PODGRAFT_PARAMETER_PREFIX"] == prefix
    assert rendering.outputs["ParameterPrefix"]["Value"] == prefix
    assert owner["Properties"]["Name"] == f"{prefix}/stack"
    assert json.loads(owner["Properties"]["Value"]) == {
        "stack": stack,
        "bucket": f"{stack}-Bundles",
        "bundlePrefix": "bundles/",
        "logGroup": f"{stack}-WebhookLogs",
        "guard": f"{stack}-Guard.Arn",
        "documents": 3,
    }


def test_no_stage_deletes_the_uploaded_code_of_another() -> None:
    """``sam delete`` deletes what it finds under the stage's prefix of the common bucket."""
    prefixes = [
        CONFIG[stage][command]["parameters"]["s3_prefix"]
        for stage in STAGES
        for command in ("deploy", "delete")
    ]
    names = [deploy(stage)[0] for stage in STAGES for _ in ("deploy", "delete")]
    assert prefixes == names
    assert len(set(names)) == len(STAGES)
    assert [CONFIG[stage]["delete"]["parameters"]["stack_name"] for stage in STAGES] == [
        deploy(stage)[0] for stage in STAGES
    ]
