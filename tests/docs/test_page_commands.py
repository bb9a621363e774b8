"""Every command of the pages runs from an installed podgraft, in an empty folder.

AWS is on loopback, and so is the endpoint of its stack. kubectl, Helm, and the like are stubs. The
pages of the tutorial also run with a real kube-apiserver: tests/e2e/live/test_pages.py.
"""

import json
import re
import shutil
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import botocore.session
import pytest

from docs.limits import DOCS, ROOT
from podgraft.cli import main
from podgraft.cli.certs import keys, pem
from podgraft.kube import yaml
from podgraft.kube.admission import SYNTHETIC_UID
from support import aws_account
from support.aws_account import deploy_stack, start_account_with_bucket
from support.istio_samples import add_gateway_template
from support.page_run import PageRun, matches_output
from support.repository_pages import PageCommand, read_steps
from support.tls_endpoint import serve_response

WORKLOAD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "registry.example.com/web:1"}]}
"""
SAMPLES = ROOT / "samples"
# kubectl prints objects of a cluster with Istio's ConfigMaps, a Deployment, and a registration.
KUBECTL = f"""\
case "$*" in
  *"configmap istio-sidecar-injector"*) cat "{SAMPLES}"/istio/bundle/injector.yaml ;;
  *"configmap istio "*) cat "{SAMPLES}"/istio/bundle/mesh.yaml ;;
  *"get deployments"*) cat <<'END'
{WORKLOAD}END
  ;;
  *apply*-f*-) cat > applied.yaml ;;
  *apply*) cat "${{@: -1}}" > applied.yaml ;;
  *"get mutatingwebhookconfigurations"*) cat applied.yaml ;;
  "cp podgraft/reader"*) mkdir -p census ;;
esac
""".replace("${@: -1}", "$(eval echo \\$$#)")
# aws answers with what the commands use.
AWS = """\
case "$*" in
  "eks describe-cluster"*) echo AWS_MANAGED ;;
  "kms get-public-key"*) echo KEY ;;
  "ssm get-parameter"*) echo "tokens: []" ;;
esac
"""
STUBS = {
    "kubectl": KUBECTL,
    "aws": AWS,
    **dict.fromkeys(
        ("gcloud", "helm", "istioctl", "sam", "make", "git", "pip", "pipx", "podman"), ""
    ),
    "curl": "echo '{}'",
}
MESH = (f"cp -r '{SAMPLES}/istio' mesh",)
# A policy with the groups of the page, and a bundle that differs from the one in force.
GROUPS = (
    "printf 'groups:\\n  ring-0: {}\\n  ring-1: {}\\n' >> mesh/policy.yaml",
    "podgraft push mesh --config stack:podgraft --injector istio",
    "printf '# next\\n' >> mesh/bundle/mesh.yaml",
)
PROJECT = 'printf \'config = "stack:podgraft-dev"\\ninjector = "istio"\\n\' > podgraft.toml'

TOKEN = "podgraft tokens issue --config stack:podgraft-dev --cluster prod-eu --output token"


# Commands that need a real cluster or recorded workloads, and the tests that run them.
ELSEWHERE = (
    (r"podgraft (import istio|compare|status)\b", "tests/e2e/live/test_pages.py"),
    (r"podgraft doctor", "tests/e2e/live/test_pages.py"),
    (r"podgraft explain [a-z]+(/| -n)", "tests/e2e/live/test_replay.py"),
    (r"podgraft fleet (apply|rotate)", "tests/cli/fleet/test_enrollment.py"),
    (r"podgraft fleet render", "tests/cli/fleet/test_render.py"),
    (r"podgraft policy preview", "tests/cli/preview/test_preview.py"),
    (r"podgraft policy census (stats|purge)", "tests/e2e/aws/test_census.py"),
    (r"podgraft policy (un)?deny", "tests/cli/test_policy_signing.py"),
    (r"podgraft push .*--sign ", "tests/cli/test_policy_signing.py"),
    (r"podgraft serve .*--signer", "tests/service/serve/test_serve.py"),
    (r"python3 layers/make_archives", "tests/e2e/builds/test_wheel.py"),
)


@dataclass(frozen=True, slots=True)
class Case:
    """A page, what its reader has before the first command, and the programs that are no stubs."""

    page: str
    before: tuple[str, ...] = ()
    real: tuple[str, ...] = ()


CASES = (
    Case("app-mesh"),
    Case("aws"),
    Case("certificates"),
    Case("clusters", (f"cp -r '{SAMPLES}' samples",)),
    Case("conformance"),
    Case("explain", (*MESH, "cp mesh/input.web.yaml web.yaml")),
    Case("fleet", (*MESH, *GROUPS)),
    Case("from-istio", ("cp -r ../gateway mesh",)),
    Case("in-cluster"),
    Case("kube-inject"),
    Case("overlays"),
    Case("performance"),
    Case("platforms", (TOKEN,)),
    Case("policies", (*MESH, PROJECT, "podgraft push mesh")),
    Case("preview", (*MESH, "mkdir store && cp -r mesh store/istio", PROJECT)),
    Case("privileges", (*MESH, PROJECT, "mkdir store && cp -r mesh store/istio")),
    Case("selective-injection"),
    Case("testing"),
    Case("webhook-from-scratch", real=("curl",)),
)


@pytest.fixture
def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """The endpoint of the stacks, on loopback; the CA of its certificate."""
    pki = tmp_path / "pki"
    options = ("--dir", str(pki), "--key-type", "p-256")
    assert main(["certs", "ca", *options]) == 0
    assert main(["certs", "server", "127.0.0.1", *options]) == 0
    chain, key = pem.read_certificates(pki / "server.pem"), keys.read_key(pki / "server.key", None)
    review = json.dumps({"response": {"uid": SYNTHETIC_UID, "allowed": True}})
    with serve_response(chain, key, tmp_path, 200, review) as served:
        monkeypatch.setattr(aws_account, "ENDPOINT", f"https://127.0.0.1:{served.port}")
        yield pki / "ca.pem"


@pytest.fixture
def account(endpoint: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """The stack podgraft-dev, and the stack podgraft in two regions."""
    with start_account_with_bucket("bundles-of-pages"):
        for region in ("us-east-1", "eu-central-1", "eu-west-1"):
            monkeypatch.setenv("AWS_DEFAULT_REGION", region)
            session: Any = botocore.session.get_session()
            deploy_stack(session, "podgraft", f"bundles-{region}", guard={"documents": 2})
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        monkeypatch.setenv("VISUAL", "sed -i s/never/neverInjectSelector/")
        yield endpoint


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.page)
def test_every_command_of_a_page_runs(case: Case, account: Path, tmp_path: Path) -> None:
    text = (DOCS / f"{case.page}.md").read_text()
    stubs = {name: body for name, body in STUBS.items() if name not in case.real}
    run = PageRun(tmp_path, stubs, account)
    write_gateway_bundle(tmp_path / "gateway")
    run.run(remove_others(text), before=case.before)
    check_outputs(text, run)


def write_gateway_bundle(folder: Path) -> None:
    """The sample of Istio with a gateway template."""
    shutil.copytree(SAMPLES / "istio", folder)
    file = folder / "bundle" / "injector.yaml"
    injector: Any = yaml.load(file.read_text())
    add_gateway_template(injector)
    file.write_text(yaml.dump(injector))


def remove_others(text: str) -> str:
    """The page without the commands that other tests run."""
    return "\n".join(
        line
        for line in text.splitlines()
        if not any(re.match(rf" *{pattern}", line) for pattern, _ in ELSEWHERE)
    )


def test_no_command_has_a_comment() -> None:
    """zsh, the shell of macOS, passes ``# text`` to the command."""
    pages = [ROOT / "README.md", *DOCS.rglob("*.md"), *SAMPLES.glob("*/README.md")]
    pages += (ROOT / "deploy").rglob("*.md")
    for page in pages:
        for step in read_steps(page.read_text()):
            if isinstance(step, PageCommand):
                assert not re.search(r"(^|\s)#", step.line), (page.name, step.line)


_SHOWN = re.compile(
    r"^```sh\n([^\n]*\n)*?([^\n]+)\n```\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL
)


def check_outputs(text: str, run: PageRun) -> None:
    """A block of text after commands is the output of the last one, with ``…`` for cut parts."""
    for _, command, expected in _SHOWN.findall(text):
        if command in run.outputs:
            printed = run.outputs[command]
            assert matches_output(expected, printed), f"{command}\n{printed}"


def test_each_command_that_another_test_runs_is_on_a_page() -> None:
    lines = [line for page in DOCS.glob("*.md") for line in page.read_text().splitlines()]
    for pattern, file in ELSEWHERE:
        assert any(re.match(rf" *{pattern}", line) for line in lines), pattern
        assert (ROOT / file).exists(), file


def test_every_page_with_commands_has_a_case() -> None:
    others = {"start", "rollouts", "runbook", "architecture"}
    pages = {page.stem for page in DOCS.glob("*.md") if "```sh\n" in page.read_text()}
    assert pages - others == {case.page for case in CASES}
    assert shutil.which("bash")


def test_an_output_of_a_page_can_leave_out_lines() -> None:
    assert matches_output("a\n…\nd\n", "a\nb\nc\nd\n")
    assert not matches_output("a\n…\ne\n", "a\nb\nc\nd\n")
    assert not matches_output("a\n", "a\nb\n")
