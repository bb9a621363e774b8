#!/usr/bin/env python3
"""Write the parts of the Terraform module that repeat template.yaml.

    terraform_module.py

template.yaml is the source of the variables, the conditions, the environment and the permissions of
all functions, the alarms, the saved queries, the event rule for policies, the format of the access
log, and the dashboard. deploy/terraform/*.tf contains the other resources.
tests/terraform/test_module.py fails if a file is out of date, or if a resource of template.yaml has
no counterpart.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from sam_template import UnsupportedError, read_template

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "deploy" / "terraform"
_GENERATED = "Generated from template.yaml by tools/terraform_module.py."
_VARIABLE = re.compile(r"\$\{([^!}][^}]*)\}")
# Pseudo parameters and attributes, by their names in the templates of the module.
_NAMES = {
    "AWS::AccountId": "account_id",
    "AWS::Partition": "partition",
    "AWS::Region": "region",
    "AWS::StackName": "name",
    "Alias": "alias_arn",
    "Api": "api_id",
    "Api.ApiEndpoint": "api_endpoint",
    "ApiLogs": "api_log_group",
    "Bundles": "bucket",
    "Bundles.Arn": "bucket_arn",
    "Cleanup": "cleanup_name",
    "CleanupLogs.Arn": "cleanup_log_group_arn",
    "Guard": "guard_name",
    "Guard.Arn": "guard_arn",
    "GuardLogs.Arn": "guard_log_group_arn",
    "CensusRecords": "census_bucket",
    "CensusRecords.Arn": "census_bucket_arn",
    "Prefix": "parameter_prefix",
    "Rotation": "rotation_name",
    "RotationLogs.Arn": "rotation_log_group_arn",
    "WatchLogs": "watch_log_group",
    "WatchLogs.Arn": "watch_log_group_arn",
    "Webhook": "function_name",
    "Webhook.Alias": "alias_arn",
    "Webhook.Arn": "function_arn",
    "WebhookLogs": "log_group",
    "WebhookLogs.Arn": "log_group_arn",
}
_TYPES = {"CommaDelimitedList": "list(string)", "Number": "number", "String": "string"}
_TOPIC = {"If": ["HasTopic", [{"Ref": "AlarmTopicArn"}], {"Ref": "AWS::NoValue"}]}
_GUARD_ARN = {"GetAtt": "Guard.Arn"}
_GUARD = {"If": ["HasTopic", [_GUARD_ARN, {"Ref": "AlarmTopicArn"}], [_GUARD_ARN]]}
# Conditions that decide the number of resources. Terraform must know them in a plan that creates
# the certificate or the roles of the variables too. A precondition checks the certificate.
_CONDITIONS = {
    "HasDomain": 'var.domain_name != ""',
    "HasPolicyWriters": "length(var.policy_writer_arns) > 0",
    "HasPrivateApi": "length(var.vpc_endpoint_ids) > 0",
}
_ROLE_CONDITIONS = {
    "HasKmsKey": "encryption",
    "Recorded": "census",
    "IsRecordedWithKmsKey": "census_encryption",
    "Unrecorded": "without_census",
    "Traced": "tracing",
}


def main() -> int:
    """Write all files; return the exit status."""
    for name, text in render_files(read_template()).items():
        (FOLDER / name).write_text(text)
        print(f"deploy/terraform/{name}")
    return 0


def render_files(template: Any) -> dict[str, str]:
    """The text of each file by its name; raises ``UnsupportedError``."""
    resources = template["Resources"]
    properties = {name: each.get("Properties", {}) for name, each in resources.items()}
    return {
        "variables.tf.json": _format(
            {
                "//": _GENERATED,
                "variable": make_variables(template),
                "locals": {
                    "parameters": _make_parameters(template),
                    "conditions": make_conditions(template),
                    "alarm_conditions": _make_alarm_conditions(resources),
                },
            }
        ),
        "environment.json.tftpl": _make_environment(properties["Webhook"]),
        "permissions.json.tftpl": _format(make_permissions(properties["WebhookRole"])),
        **dict(_render_functions(properties)),
        "alarms.json.tftpl": _format(dict(find_alarms(resources))),
        "queries.json.tftpl": _format(dict(find_queries(resources))),
        "access_log_format.json.tftpl": convert(properties["Stage"]["AccessLogSettings"]["Format"]),
        "private_api.json.tftpl": _format_with_list(
            convert(properties["PrivateApi"]["DefinitionBody"]), "vpc_endpoint_ids"
        ),
        "policy_writes.json.tftpl": _make_policy_writes(properties["PolicyWriteRule"]),
        "dashboard.json.tftpl": convert(properties["Dashboard"]["DashboardBody"]),
    }


def _render_functions(properties: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The environment and the permissions of each function but the webhook."""
    for name in ("Cleanup", "Guard", "Rotation", "Watch"):
        permissions = make_permissions(properties[f"{name}Role"])
        yield f"{name.lower()}_environment.json.tftpl", _make_environment(properties[name])
        yield f"{name.lower()}_permissions.json.tftpl", _format(permissions)


def _format(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _make_parameters(template: Any) -> dict[str, str]:
    """The variables of the module for ``templatefile``."""
    names = [name_variable(name) for name in template["Parameters"]]
    return {f"var_{name}": f"${{var.{name}}}" for name in names}


def _make_environment(function: Any) -> str:
    return _format(convert(function["Environment"]["Variables"]))


def _make_policy_writes(rule: Any) -> str:
    """The pattern of the event rule, and the message of its target."""
    [target] = rule["Targets"]
    document = {
        "description": rule["Description"],
        "pattern": convert(rule["EventPattern"]),
        "paths": target["InputTransformer"]["InputPathsMap"],
        "message": target["InputTransformer"]["InputTemplate"],
    }
    return _format_with_list(document, "policy_writer_arns")


def _format_with_list(document: Any, variable: str) -> str:
    """The text of a template with the elements of a variable that is a list."""
    text = f"var_{variable}"
    return _format(document).replace(f'"${{{text}}}"', f"${{jsonencode({text})}}")


def name_variable(parameter: str) -> str:
    """The name of the Terraform variable of a parameter."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", parameter).lower()


def make_variables(template: Any) -> dict[str, Any]:
    """The variables of Terraform for the parameters of the template."""
    return {
        name_variable(name): _make_variable(name, parameter)
        for name, parameter in template["Parameters"].items()
    }


def _make_variable(name: str, parameter: Mapping[str, Any]) -> dict[str, Any]:
    kind = _TYPES[parameter["Type"]]
    default: Any = [] if kind == "list(string)" else parameter["Default"]
    if kind == "number":
        default = int(default)
    variable: dict[str, Any] = {"type": kind, "default": default, "nullable": False}
    if "Description" in parameter:
        variable["description"] = " ".join(parameter["Description"].split())
    reference = f"var.{name_variable(name)}"
    validations = [
        {"condition": f"${{{condition}}}", "error_message": message}
        for condition, message in _find_validations(reference, parameter)
    ]
    return variable | ({"validation": validations} if validations else {})


def _find_validations(reference: str, parameter: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if values := parameter.get("AllowedValues"):
        yield (
            f"contains({json.dumps(values)}, {reference})",
            f"Use one of {', '.join(map(str, values))}.",
        )
    if pattern := parameter.get("AllowedPattern"):
        remedy = parameter.get("ConstraintDescription", f"must match {pattern}")
        yield (
            f"can(regex({json.dumps(pattern)}, {reference}))",
            f"The value {remedy}.",
        )
    for key, operator, text in (("MinValue", ">=", "at least"), ("MaxValue", "<=", "at most")):
        if key in parameter:
            yield f"{reference} {operator} {parameter[key]}", f"Use {text} {parameter[key]}."


def make_conditions(template: Any) -> dict[str, str]:
    """An expression of Terraform for each condition of the template."""
    types = {name: each["Type"] for name, each in template["Parameters"].items()}
    return {
        name_condition(name): "${%s}"
        % (_CONDITIONS.get(name) or _express_condition(condition, types))
        for name, condition in template["Conditions"].items()
    }


def name_condition(name: str) -> str:
    """The name of a condition as a predicate."""
    snake = name_variable(name)
    return snake if snake.startswith(("has_", "is_", "rotates", "watches_")) else f"is_{snake}"


def _express_condition(condition: Any, types: Mapping[str, str]) -> str:
    match condition:
        case {"Not": [{"Equals": [left, right]}]}:
            return f"{_express_text(left, types)} != {_express_text(right, types)}"
        case {"Equals": [left, right]}:
            return f"{_express_text(left, types)} == {_express_text(right, types)}"
        case {"And": [*parts]}:
            return " && ".join(f"({_express_condition(each, types)})" for each in parts)
        case _:
            raise UnsupportedError(f"condition {condition}: unsupported; change _express_condition")


def _express_text(value: Any, types: Mapping[str, str]) -> str:
    """An expression with a string as its value: CloudFormation compares parameters as text."""
    match value:
        case str() | int():
            return json.dumps(str(value))
        case {"Ref": "AWS::Region"}:
            return "local.region"
        case {"Ref": "AWS::Partition"}:
            return "local.partition"
        case {"Ref": name} if types[name] == "String":
            return f"var.{name_variable(name)}"
        case {"Ref": name} if types[name] == "Number":
            return f"tostring(var.{name_variable(name)})"
        case _:
            raise UnsupportedError(f"value {value}: unsupported; change _express_text")


def make_permissions(role: Any) -> dict[str, Any]:
    """The statements of the role by the name of the policy; a condition replaces its name."""
    policies: dict[str, Any] = {}
    for policy in role["Policies"]:
        match policy:
            case {"If": [condition, {"PolicyDocument": document}, _]}:
                if condition not in _ROLE_CONDITIONS:
                    raise UnsupportedError(f"policy of a role: unsupported condition {condition}")
                policies[_ROLE_CONDITIONS[condition]] = convert(document)
            case {"PolicyName": name, "PolicyDocument": document}:
                policies[name] = convert(document)
            case _:
                raise UnsupportedError("role: unsupported policy; change make_permissions")
    return policies


def find_alarms(resources: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Each alarm by its logical name, with the arguments of ``aws_cloudwatch_metric_alarm``."""
    for name, resource in resources.items():
        if resource["Type"] == "AWS::CloudWatch::Alarm":
            yield name, _make_alarm(name, resource["Properties"])


def _make_alarm_conditions(resources: Mapping[str, Any]) -> dict[str, Any]:
    """Whether the module creates an alarm, by its logical name.

    These are the keys of ``for_each``: Terraform must know them before it creates the resources
    that alarms.json.tftpl refers to.
    """
    conditions = {name: resources[name].get("Condition") for name, _ in find_alarms(resources)}
    return {
        name: f"${{local.conditions.{name_condition(condition)}}}" if condition else True
        for name, condition in conditions.items()
    }


def find_queries(resources: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Each saved query by its logical name: arguments of ``aws_cloudwatch_query_definition``."""
    for name, resource in resources.items():
        if resource["Type"] == "AWS::Logs::QueryDefinition":
            if resource.keys() - {"Type", "Properties"}:
                raise UnsupportedError(f"{name}: unsupported attribute; change find_queries")
            yield (
                name,
                {
                    name_variable(key): _check_query(name, key, convert(value))
                    for key, value in resource["Properties"].items()
                },
            )


def _check_query(name: str, key: str, value: Any) -> Any:
    if key not in {"Name", "LogGroupNames", "QueryString"}:
        raise UnsupportedError(f"{name}: unsupported property {key}; change monitoring.tf")
    return value


def _make_alarm(name: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    alarm: dict[str, Any] = {}
    for key, value in properties.items():
        match key:
            case "AlarmActions" | "OKActions" if value == _TOPIC:
                alarm[f"has_{name_variable(key.removesuffix('s'))}"] = True  # monitoring.tf
            case "AlarmActions" if value == _GUARD:
                alarm |= {"has_alarm_action": True, "has_guard_action": True}
            case "Dimensions":
                alarm["dimensions"] = _make_dimensions(value)
            case "Metrics":
                alarm["metric_query"] = [_make_query(each) for each in value]
            case _ if key in _ALARM_PROPERTIES:
                alarm[name_variable(key)] = convert(value)
            case _:
                raise UnsupportedError(f"{name}: unsupported property {key}; change monitoring.tf")
    return alarm


_ALARM_PROPERTIES = frozenset(
    {
        *("AlarmDescription", "ComparisonOperator", "DatapointsToAlarm", "EvaluationPeriods"),
        *("ExtendedStatistic", "MetricName", "Namespace", "Period", "Statistic", "Threshold"),
        *("TreatMissingData",),
    }
)


def _make_dimensions(dimensions: Any) -> dict[str, str]:
    return {each["Name"]: convert(each["Value"]) for each in dimensions}


def _make_query(query: Mapping[str, Any]) -> dict[str, Any]:
    """A ``metric_query``: an expression, or a metric."""
    names = {"Id": "id", "Expression": "expression", "Label": "label", "ReturnData": "return_data"}
    result = {names[key]: convert(value) for key, value in query.items() if key in names}
    if stat := query.get("MetricStat"):
        metric = stat["Metric"]
        result["metric"] = {
            "dimensions": _make_dimensions(metric.get("Dimensions", ())),
            "metric_name": metric["MetricName"],
            "namespace": metric["Namespace"],
            "period": stat["Period"],
            "stat": stat["Stat"],
        }
    if "Period" in query:
        result["period"] = convert(query["Period"])
    return result


def convert(value: Any) -> Any:
    """A value of the template with variables of Terraform's ``templatefile``."""
    match value:
        case {"Ref": name} | {"GetAtt": name}:
            return f"${{{_lookup_name(name)}}}"
        case {"Sub": [text, _]} | {"Sub": text}:
            return _VARIABLE.sub(lambda match: f"${{{_lookup_name(match[1])}}}", text)
        case {"If": ["HasParameterPrefix", *_]}:
            return "${parameter_prefix}"
        case {"If": [condition, yes, no]}:
            return _convert_choice(condition, yes, no)
        case dict():
            return _convert_items(value, convert)
        case list():
            return [convert(each) for each in cast("list[Any]", value)]
        case _:
            return value


def _convert_items(value: Any, function: Callable[[Any], Any]) -> dict[str, Any]:
    return {key: function(each) for key, each in value.items()}


def _convert_choice(condition: str, *values: Any) -> str:
    """A directive with the texts of both values; each can contain another directive."""
    texts: list[str] = []
    for value in map(convert, values):
        if not isinstance(value, str | int) or isinstance(value, bool):
            raise UnsupportedError(f"condition {condition}: unsupported values; change convert")
        texts.append(str(value))
    yes, no = texts
    return f"%{{ if {name_condition(condition)} }}{yes}%{{ else }}{no}%{{ endif }}"


def _lookup_name(name: str) -> str:
    if name in _NAMES:
        return _NAMES[name]
    if re.fullmatch(r"[A-Za-z0-9]+", name):
        return f"var_{name_variable(name)}"
    raise UnsupportedError(f"{name}: no counterpart in the module; change _NAMES")


if __name__ == "__main__":
    sys.exit(main())
