"""The SAM template with its intrinsic functions, as the Terraform module needs it."""

from pathlib import Path
from typing import Any

import yaml

TEMPLATE = Path(__file__).parents[1] / "template.yaml"
# Gradual deployments need CloudFormation: Terraform cannot update an alias through CodeDeploy.
SAM_CONDITIONS = frozenset({"Gradual"})
SAM_PARAMETERS = frozenset({"GradualDeployment", "DeploymentType", "ExpectedChanges", "Attempt"})
# For SAM's hash of the function: Terraform publishes a version after each change by itself.
SAM_HASH_CONDITION = "Never"
SAM_HASH_VARIABLE = "PODGRAFT_RELEASE"


class Loader(yaml.SafeLoader):
    """Reads ``!Sub x`` as ``{"Sub": x}``."""


def _construct(loader: Loader, name: str, node: yaml.Node) -> dict[str, Any]:
    match node:
        case yaml.ScalarNode():
            return {name: loader.construct_scalar(node)}
        case yaml.SequenceNode():
            return {name: loader.construct_sequence(node, deep=True)}
        case _:
            raise UnsupportedError(f"!{name}: unsupported value; change _construct")


yaml.add_multi_constructor("!", _construct, Loader)


class UnsupportedError(ValueError):
    """A part of template.yaml for which the module has no counterpart."""


def read_template() -> Any:
    """The template, with ``{"Sub": x}`` for ``!Sub x``, without what is SAM's alone."""
    template: Any = yaml.load(TEMPLATE.read_text(), Loader)  # noqa: S506 - a SafeLoader
    for name in SAM_PARAMETERS:
        del template["Parameters"][name]
    for name in (*SAM_CONDITIONS, SAM_HASH_CONDITION):
        del template["Conditions"][name]
    resources = template["Resources"]
    del resources["Webhook"]["Properties"]["Environment"]["Variables"][SAM_HASH_VARIABLE]
    template["Resources"] = {
        name: each
        for name, each in resources.items()
        if each.get("Condition") not in SAM_CONDITIONS
    }
    return template
