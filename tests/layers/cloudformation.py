"""template.yaml as CloudFormation resolves it for one stack, as far as names are concerned."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import botocore.session
import yaml

from sam_template import Loader

TEXT = (Path(__file__).parents[2] / "template.yaml").read_text()
_VARIABLE = re.compile(r"\$\{([^!}][^}]*)\}")
_NO_VALUE = object()


TEMPLATE: Any = yaml.load(TEXT, Loader)  # noqa: S506 — a SafeLoader, with CloudFormation's tags


class Rendering:
    """The template for one stack; a resource without a name of its own gets one of the stack's."""

    def __init__(
        self,
        template: Any,
        stack: str,
        parameters: Mapping[str, Any],
        region: str = "region",
    ) -> None:
        self._template = template
        self._stack = stack
        self._region = region
        session: Any = botocore.session.get_session()
        is_real = region != "region"
        self._partition = session.get_partition_for_region(region) if is_real else "aws"
        defaults = {name: each.get("Default", "") for name, each in template["Parameters"].items()}
        self._parameters = {**defaults, **parameters}
        sections = ("Resources", "Outputs")
        self.resources, self.outputs = (self._section(name) for name in sections)

    def _section(self, name: str) -> dict[str, Any]:
        """What is there under the conditions of this stack."""
        return {
            key: self._resolve({k: v for k, v in each.items() if k != "Metadata"})
            for key, each in self._template[name].items()
            if self._holds(each.get("Condition"))
        }

    def holds(self, condition: str) -> bool:
        """Whether a condition of the template is true."""
        return self._holds(condition)

    def _holds(self, condition: Any) -> bool:
        match condition:
            case None:
                return True
            case str():
                return self._holds(self._template["Conditions"][condition])
            case {"Equals": [left, right]}:
                return str(self._resolve(left)) == str(self._resolve(right))
            case {"Not": [inner]}:
                return not self._holds(inner)
            case {"And": [*parts]}:
                return all(self._holds(each) for each in parts)
            case _:
                raise AssertionError(condition)

    def _resolve(self, value: Any) -> Any:
        match value:
            case {"Ref": name}:  # ARNs have the partition in Sub
                return self._partition if name == "AWS::Partition" else self._name(name)
            case {"GetAtt": attribute}:
                return self._name(attribute)
            case {"Select": [index, items]}:
                return self._resolve(items)[index]
            case {"Sub": [text, variables]}:
                return self._substitute(text, self._resolve(variables))
            case {"Sub": text}:
                return self._substitute(text, {})
            case {"Join": [separator, parts]}:
                resolved = self._resolve(parts)
                return (
                    resolved
                    if isinstance(resolved, str)
                    else str(separator).join(map(str, resolved))
                )
            case {"If": [condition, yes, no]}:
                return self._resolve(yes if self._holds(condition) else no)
            case dict():
                items = cast("dict[str, Any]", value).items()
                resolved = {key: self._resolve(each) for key, each in items}
                return {key: each for key, each in resolved.items() if each is not _NO_VALUE}
            case list():
                found = [self._resolve(each) for each in cast("list[Any]", value)]
                return [each for each in found if each is not _NO_VALUE]
            case _:
                return value

    def _substitute(self, text: str, variables: Mapping[str, Any]) -> str:
        return _VARIABLE.sub(
            lambda found: str(variables.get(found[1], None) or self._name(found[1])), text
        )

    def _name(self, name: str) -> Any:
        if name == "AWS::NoValue":
            return _NO_VALUE
        if name == "AWS::StackName":
            return self._stack
        if name == "AWS::Region":
            return self._region
        if name.startswith("AWS::"):
            return name.removeprefix("AWS::").lower()
        if name in self._parameters:
            return self._parameters[name]
        return f"{self._stack}-{name}"


def find_refusals(template: Any, parameters: Mapping[str, Any]) -> list[str]:
    """The names of the rules that refuse the parameters."""
    defaults = {name: each.get("Default", "") for name, each in template["Parameters"].items()}
    values = {**defaults, **parameters}
    return [
        name
        for name, rule in template["Rules"].items()
        if _is_true(rule.get("RuleCondition", {"Equals": ["", ""]}), values)
        and not all(_is_true(each["Assert"], values) for each in rule["Assertions"])
    ]


def _is_true(expression: Any, values: Mapping[str, Any]) -> bool:
    """The value of a function of rules: CloudFormation has only these for parameters."""

    def text(operand: Any) -> str:
        return str(values[operand["Ref"]] if isinstance(operand, dict) else operand)

    match expression:
        case {"Equals": [left, right]}:
            return text(left) == text(right)
        case {"Not": [inner]}:
            return not _is_true(inner, values)
        case {"And": parts}:
            return all(_is_true(each, values) for each in parts)
        case {"EachMemberEquals": [operand, right]}:
            return all(each == right for each in text(operand).split(","))
        case _:
            raise AssertionError(expression)
