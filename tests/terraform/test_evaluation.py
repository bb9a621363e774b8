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
    MODULE,
    STACKS,
    find_conditions,
    make_variables,
    select_alarms,
    strip_marks,
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
    outputs: dict[str, Any] = {
        name.split(".")[0]: {"value": f'${{templatefile("{name}", merge({", ".join(_CONTEXT)}))}}'}
        for name in FILES
        if name.endswith(".tftpl")
    }
    outputs |= {name: {"value": f"${{local.{name}}}"} for name in _EVALUATED}
    outputs["refusals"] = {"value": [_express_refusal(each) for each in read_preconditions()]}
    policy_writes = 'templatefile("policy_writes.json.tftpl", merge({}))'
    further = {
        "partition": "${var.partition}",
        "region": "${var.region}",
        "parameter_prefix": LOCALS["parameter_prefix"],
        "policy_writes": f"${{jsondecode({policy_writes.format(', '.join(_CONTEXT))})}}",
    }
    document = {
        "locals": {"context": context, **further},
        "output": outputs,
        "variable": {
            "name": {"default": "shop"},
            "partition": {"default": "aws"},
            "region": {"default": "eu-central-1"},
        },
    }
    (folder / "main.tf.json").write_text(json.dumps(document))
    done = run_terraform(folder, "init", "-no-color")
    assert done.returncode == 0, done.stderr
    return folder


def read_preconditions() -> list[Mapping[str, str]]:
    """All preconditions of the resources of the module, with the number of the resources."""
    return [
        {"count": resource.get("count", "1"), **strip_marks(each)}
        for resource in MODULE.values()
        for lifecycle in resource.get("lifecycle", ())
        for each in lifecycle.get("precondition", ())
    ]


def _express_refusal(precondition: Mapping[str, str]) -> str:
    """The message of a precondition that does not hold, or nothing."""
    count, condition = (
        precondition[key].removeprefix("${").removesuffix("}") for key in ("count", "condition")
    )
    message = json.dumps(precondition["error_message"])
    return f'${{({count}) == 0 || ({condition}) ? "" : {message}}}'


_CONTEXT = ("local.parameters", "local.conditions", "local.context")
_EVALUATED = ("conditions", "alarm_conditions")


@pytest.mark.parametrize("parameters", STACKS, ids=str)
def test_terraform_renders_the_same_templates(
    evaluation: Path, parameters: Mapping[str, Any]
) -> None:
    options = [
        f"-var={name_variable(name)}={json.dumps(value) if isinstance(value, list) else value}"
        for name, value in parameters.items()
    ]
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


DOMAIN = ("domain_name=a.example", "certificate_arn=arn:c")
WRITERS = ",".join(f'"{"a" * 139}"' for _ in range(6))
REFUSED: tuple[tuple[tuple[str, ...], str], ...] = (
    (("reserved_concurrency=0",), "reserved_concurrency 0 stops all reviews"),
    (
        ("start_mode=provisioned", "reserved_concurrency=1"),
        "provisioned_concurrency is above reserved_concurrency",
    ),
    ((*DOMAIN, "truststore_uri=s3://a/b"), "truststore_uri requires truststore_version"),
    (("name=awsome",), "Parameter Store refuses names that begin with aws or ssm"),
    (("name=SSM-shop",), "Parameter Store refuses names that begin with aws or ssm"),
    (
        (f"policy_writer_arns=[{WRITERS}]", "alarm_topic_arn=arn:t"),
        "policy_writer_arns is too long",
    ),
    (("require_signature=true",), "require_signature true requires signer_public_key"),
    (
        ("token_rotation_days=60", "log_retention_days=7"),
        "token_rotation_days requires log_retention_days 14 or more",
    ),
    (
        (*DOMAIN, "hosted_zone_id=Z", "dns_record=latency", "token_rotation_days=60"),
        "token_rotation_days requires dns_record none",
    ),
)


@pytest.mark.parametrize(("variables", "message"), REFUSED, ids=[each[1] for each in REFUSED])
def test_terraform_refuses_what_aws_would_refuse_or_break(
    evaluation: Path, variables: tuple[str, ...], message: str
) -> None:
    options = [f"-var={each}" for each in variables]
    done = run_terraform(evaluation, "apply", "-auto-approve", "-no-color", *options)
    assert done.returncode == 0, done.stderr
    printed = json.loads(run_terraform(evaluation, "output", "-json", "refusals").stdout)
    [refusal] = [each for each in printed if each]
    assert message in refusal


ACCEPTED: tuple[tuple[str, ...], ...] = (
    (),
    ("start_mode=snapstart", "reserved_concurrency=5"),
    ("start_mode=provisioned", "reserved_concurrency=2"),
    ("name=aws-pods", "parameter_prefix=/pods"),
    ("token_rotation_days=60", "log_retention_days=14"),
    (*DOMAIN, "truststore_uri=s3://a/b", "truststore_version=v1", "auth=mtls"),
)


@pytest.mark.parametrize("variables", ACCEPTED, ids=str)
def test_terraform_accepts_what_aws_accepts(evaluation: Path, variables: tuple[str, ...]) -> None:
    options = [f"-var={each}" for each in variables]
    done = run_terraform(evaluation, "apply", "-auto-approve", "-no-color", *options)
    assert done.returncode == 0, done.stderr
    printed = json.loads(run_terraform(evaluation, "output", "-json", "refusals").stdout)
    assert [each for each in printed if each] == []


@pytest.mark.parametrize(
    ("region", "partition", "is_there"),
    [
        ("eu-central-1", "aws", True),
        ("ap-east-2", "aws", False),
        ("us-gov-west-1", "aws-us-gov", False),
        ("us-iso-east-1", "aws-iso", False),
    ],
)
def test_snapstart_is_the_default_where_lambda_has_it(
    evaluation: Path, region: str, partition: str, is_there: bool
) -> None:
    place = (f"-var=region={region}", f"-var=partition={partition}")
    done = run_terraform(evaluation, "apply", "-auto-approve", "-no-color", *place)
    assert done.returncode == 0, done.stderr
    printed = json.loads(run_terraform(evaluation, "output", "-json", "conditions").stdout)
    assert printed["is_snap_start"] is is_there


@pytest.mark.parametrize("bucket", ["bundles", "census"])
def test_a_long_name_leaves_room_for_the_suffix_of_a_bucket(bucket: str) -> None:
    """A prefix of a bucket has at most 37 characters, and a name of the module at most 40."""
    prefix = MODULE[f"aws_s3_bucket.{bucket}"]["bucket_prefix"]
    begin = "${substr(lower(var.name), 0, 28)}"
    assert prefix.startswith(begin)
    assert 28 + len(prefix.removeprefix(begin)) <= 37


def test_the_module_is_formatted() -> None:
    if shutil.which("terraform") is None:
        pytest.skip("needs terraform")
    done = subprocess.run(
        ["terraform", "fmt", "-check", str(FOLDER)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
