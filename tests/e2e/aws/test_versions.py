"""Each change of the function publishes a version, as SAM's translator and Lambda decide it.

SAM publishes a version if its logical id changes. Lambda publishes none if code and configuration
are those of the last version, and then CloudFormation fails: ministack publishes it all the same.
"""

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from e2e.aws.cloud import Tools
from layers.cloudformation import TEMPLATE, Rendering

GOLDEN = Path(__file__).with_name("versions.json")
STACK = "podgraft-dev"
SCRIPT = Path(__file__).with_name("translate.py")
# Values that the patterns of the parameters accept; all others accept any text.
VALUES = {
    "BundlePrefix": "other/",
    "ExpectedChanges": "istio=any",
    "ParameterPrefix": "/team/podgraft",
    "SignerPublicKey": "MFkwEwYHKoZIzj0CAQ",
    "SyntheticReviews": "istio=inject",
}
FOLDERS = ("Webhook", "EngineLayer", "DependenciesLayer")
# What Lambda keeps with a version. Concurrency and code signing belong to the function.
KEPT = (
    *("Architectures", "Description", "Environment", "Handler", "LoggingConfig", "MemorySize"),
    *("Role", "Runtime", "SnapStart", "Timeout", "Tracing"),
)


@dataclass(frozen=True)
class Deployment:
    """Parameters of a deployment, and built folders that differ."""

    parameters: Mapping[str, str] = field(default_factory=dict[str, str])
    folders: Mapping[str, str] = field(default_factory=dict[str, str])


Translate = Callable[[list[Deployment]], list[Any]]


@pytest.fixture(scope="module")
def translate(tools: Tools, build: Path) -> Translate:
    """The templates that SAM makes of the built one."""

    def run(deployments: list[Deployment]) -> list[Any]:
        done = subprocess.run(
            [tools.program("sam", "python"), "-P", str(SCRIPT), str(build / "template.yaml")],
            input=json.dumps([vars(each) for each in deployments]),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def change(name: str, parameter: Mapping[str, Any]) -> str:
    """Another value of a parameter than the default."""
    if allowed := parameter.get("AllowedValues"):
        return str(next(each for each in allowed if str(each) != str(parameter["Default"])))
    if parameter["Type"] == "Number":
        return str(int(parameter["Default"]) + 1)
    return VALUES.get(name, "other")


def add_byte(folder: Path, copied: Path, pattern: str) -> Mapping[str, str]:
    """A copy of a built folder with one byte more in a file."""
    shutil.copytree(folder, copied)
    path = min(copied.rglob(pattern))
    path.write_bytes(path.read_bytes() + b"\n")
    return {folder.name: str(copied)}


@pytest.fixture(scope="module")
def changes(build: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Deployment]:
    """Every parameter and every folder of the function, changed alone."""
    folder = tmp_path_factory.mktemp("changes")
    parameters = {
        name: Deployment(parameters={name: change(name, each)})
        for name, each in TEMPLATE["Parameters"].items()
    }
    parameters["StartMode=on-demand"] = Deployment(parameters={"StartMode": "on-demand"})
    parameters["StartMode=provisioned"] = Deployment(parameters={"StartMode": "provisioned"})
    del parameters["StartMode"]
    built = {
        f"one byte of {name}": Deployment(folders=add_byte(build / name, folder / name, "*.py"))
        for name in FOLDERS
    }
    return {"nothing": Deployment(), **built, **parameters}


# Other texts with the same effect: CloudFormation must not ask for a version that Lambda refuses.
SAME = {
    "the default prefix": {"ParameterPrefix": f"/{STACK}"},
    "the default memory": {"MemorySize": "1024"},
    "the default refresh": {"RefreshSeconds": "30"},
    "zeros before the memory": {"MemorySize": "01024"},
}


def find_version(template: Any) -> str:
    """The logical id of the published version."""
    [name] = [
        name
        for name, each in template["Resources"].items()
        if each["Type"] == "AWS::Lambda::Version"
    ]
    return name


def find_contents(template: Any, deployment: Deployment) -> Any:
    """What Lambda compares with the last version: configuration, code, and layers."""
    stack = Rendering(TEMPLATE, STACK, deployment.parameters)
    properties = stack.resources["Webhook"]["Properties"]
    code = template["Resources"]["Webhook"]["Properties"]["Code"]
    layers = [
        each["Properties"]["Content"]
        for each in template["Resources"].values()
        if each["Type"] == "AWS::Lambda::LayerVersion"
    ]
    kept = {key: properties.get(key) for key in KEPT}
    return {**kept, "Code": code["S3Key"], "Layers": layers}


def test_what_publishes_a_version(
    translate: Translate, changes: dict[str, Deployment], request: pytest.FixtureRequest
) -> None:
    """Run with ``--update-goldens`` after you add a parameter; read each line of the difference."""
    first, *templates = translate([Deployment(), *changes.values()])
    before = find_version(first)
    found = {
        name: "version" if find_version(template) != before else "none"
        for name, template in zip(changes, templates, strict=True)
    }
    if request.config.getoption("--update-goldens"):
        GOLDEN.write_text(json.dumps(found, indent=2) + "\n")
    assert found == json.loads(GOLDEN.read_text())


def test_each_version_is_one_that_lambda_publishes(
    translate: Translate, changes: dict[str, Deployment]
) -> None:
    """No version is missing (the change is not in force), and none is refused (a rollback)."""
    deployments = {
        **changes,
        **{name: Deployment(parameters=parameters) for name, parameters in SAME.items()},
    }
    first, *templates = translate([Deployment(), *deployments.values()])
    before, contents = find_version(first), find_contents(first, Deployment())
    for (name, deployment), template in zip(deployments.items(), templates, strict=True):
        differs = find_contents(template, deployment) != contents
        assert (find_version(template) != before) is differs, name


def test_the_retry_of_a_refused_deployment_differs_from_the_refused_version(
    translate: Translate, changes: dict[str, Deployment]
) -> None:
    """CloudFormation retains the refused version, so the next one must differ from it, too."""
    folders = changes["one byte of EngineLayer"].folders
    gradual = {"GradualDeployment": "true"}
    refused = Deployment(parameters=gradual, folders=folders)
    retries = [
        Deployment(parameters={**gradual, **further}, folders=folders)
        for further in ({"ExpectedChanges": "istio=3f2a9c01d4e5"}, {"Attempt": "2"})
    ]
    first, *templates = translate([refused, *retries])
    for retry, template in zip(retries, templates, strict=True):
        assert find_version(template) != find_version(first)
        assert find_contents(template, retry) != find_contents(first, refused)


def test_each_stage_of_the_private_api_is_throttled(translate: Translate) -> None:
    """A deployment with the name of a stage creates this stage, without any settings."""
    [template] = translate([Deployment(parameters={"VpcEndpointIds": "vpce-0a1b2c3d"})])
    made: dict[str, list[Any]] = {"Deployment": [], "Stage": []}
    for each in template["Resources"].values():
        if each["Type"] in {f"AWS::ApiGateway::{name}" for name in made}:
            made[each["Type"].rpartition(":")[2]].append(each["Properties"])
    assert not [each["StageName"] for each in made["Deployment"] if "StageName" in each]
    [stage] = made["Stage"]
    [settings] = stage["MethodSettings"]
    assert settings["ThrottlingRateLimit"] == {"Ref": "ThrottlingRateLimit"}


def test_cloudformation_gets_no_key_for_the_code(translate: Translate) -> None:
    """The values in ``SourceKMSKeyArn`` are for SAM's hash: its condition is never true."""
    [template] = translate([Deployment()])
    code = template["Resources"]["Webhook"]["Properties"]["Code"]
    condition, _, otherwise = code["SourceKMSKeyArn"]["Fn::If"]
    assert template["Conditions"][condition] == {"Fn::Equals": [{"Ref": "AWS::StackName"}, ""]}
    assert otherwise == {"Ref": "AWS::NoValue"}
