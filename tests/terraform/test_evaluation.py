"""Terraform evaluates the generated files as the tests of the module do."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from layers.cloudformation import TEMPLATE, Rendering
from terraform.module import (
    FILES,
    LOCALS,
    STACKS,
    find_conditions,
    make_variables,
    select_alarms,
)
from terraform.templates import FOLDER, render
from terraform_module import name_variable


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
    context = {
        name: each
        for name, each in variables.items()
        if not name.startswith("var_") and not isinstance(each, bool)
    }
    context["parameter_prefix"] = LOCALS["parameter_prefix"].replace("${var.name}", "shop")
    outputs = {
        name.split(".")[0]: {"value": f'${{templatefile("{name}", merge({", ".join(_CONTEXT)}))}}'}
        for name in FILES
        if name.endswith(".tftpl")
    }
    outputs |= {name: {"value": f"${{local.{name}}}"} for name in _EVALUATED}
    document = {"locals": {"context": context}, "output": outputs}
    (folder / "main.tf.json").write_text(json.dumps(document))
    done = run_terraform(folder, "init", "-no-color")
    assert done.returncode == 0, done.stderr
    return folder


_CONTEXT = ("local.parameters", "local.conditions", "local.context")
_EVALUATED = ("conditions", "alarm_conditions")


@pytest.mark.parametrize("parameters", STACKS, ids=str)
def test_terraform_renders_the_same_templates(
    evaluation: Path, parameters: Mapping[str, Any]
) -> None:
    options = [f"-var={name_variable(name)}={value}" for name, value in parameters.items()]
    done = run_terraform(evaluation, "apply", "-auto-approve", "-no-color", *options)
    assert done.returncode == 0, done.stderr
    printed = json.loads(run_terraform(evaluation, "output", "-json").stdout)
    outputs = {name: each["value"] for name, each in printed.items()}
    variables = make_variables("shop", {"PolicyWriterArns": [], **parameters})
    for name in FILES:
        if name.endswith(".tftpl"):
            assert outputs[name.split(".")[0]] == render(name, variables)
    stack = Rendering(TEMPLATE, "shop", parameters)
    assert outputs["conditions"] == find_conditions(stack)
    created = {name for name, is_created in outputs["alarm_conditions"].items() if is_created}
    assert created == select_alarms(find_conditions(stack))


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
