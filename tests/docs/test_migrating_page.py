"""Every command of the page about migrating from Istio runs in order.

podgraft is the real program, with AWS on loopback. kubectl and istioctl are stand-ins: they accept
only the commands, flags, and values of ``istioctl/flags.json`` and ``_KUBECTL``, and print recorded
or prepared answers. So the tests show that the arguments are valid, and not what a cluster answers.
``istioctl/check_inject.json`` has answers that Istio's own function returned.
"""

import json
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from podgraft import cli
from podgraft.kube import yaml
from support.aws_account import start_account_with_bucket
from support.repository_pages import ROOT, Checkout, PageFile, make_checkout, read_steps

FIXTURES = Path(__file__).parent / "istioctl"
PAGE = (ROOT / "docs" / "migrating-from-istio.md").read_text()
STEPS = read_steps(PAGE)
FLAGS = json.loads((FIXTURES / "flags.json").read_text())
ANSWERS = json.loads((FIXTURES / "check_inject.json").read_text())["cases"]

# Verbs of kubectl with the flags that each accepts, from kubectl's reference.
_KUBECTL = {
    "get": ["-o", "-A", "-l", "-L"],
    "apply": ["--server-side", "-f"],
    "label": ["--overwrite"],
    "rollout": [],
    "delete": ["--ignore-not-found"],
}
_KUBECTL_PROGRAM = """\
import json, pathlib, sys
VERBS = {verbs!r}
words = sys.argv[1:]
if words[0] == "-n":
    words = words[2:]
verb, *rest = words
flags = [word.partition("=")[0] for word in rest if word.startswith("-")]
unknown = [flag for flag in flags if flag not in VERBS[verb]]
if unknown:
    sys.exit(f"unknown flag: {{unknown}}")
if verb == "apply":
    text = pathlib.Path(rest[-1]).read_text()
    assert text.startswith("apiVersion: admissionregistration.k8s.io/v1")
objects = {objects!r}
names = [word for word in rest if not word.startswith("-")]
key = " ".join(names[:2]) if names else ""
if verb == "get":
    print(next((text for name, text in objects.items() if key.startswith(name)), ""))
"""
_ISTIOCTL_PROGRAM = """\
import os, re, subprocess, sys
FLAGS = {flags!r}
words = sys.argv[1:]
commands = sorted(FLAGS["commands"], key=len, reverse=True)
command = next((name for name in commands if " ".join(words).startswith(name)), None)
if command is None:
    sys.exit(f"unknown command {{words}}")
rest = words[len(command.split()):]
accepted = {{*FLAGS["commands"][command], *FLAGS["global"]}}
for word in rest:
    if word.startswith("-") and word.partition("=")[0].lstrip("-") not in accepted:
        sys.exit(f"unknown flag: {{word}}")
    value = word.partition("=")[0].removeprefix("values.")
    if word.startswith("values.") and value not in FLAGS["values"]:
        sys.exit(f"unknown value: {{word}}")
if command == "kube-inject":
    assert os.environ["ENABLE_NATIVE_SIDECARS"] == "true"
    # A different order of keys, and other text, with the same meaning as podgraft's result.
    import json, yaml
    documents = [*filter(None, yaml.safe_load_all(open("ours.yaml")))]
    with open(rest[rest.index("-o") + 1], "w") as file:
        for document in documents:
            file.write("---\\n" + json.dumps(dict(reversed(document.items()))) + "\\n")
"""


def make_objects() -> dict[str, str]:
    """What the cluster has: the sample's ConfigMaps with a gateway template, and a Deployment."""
    sample = ROOT / "samples" / "istio" / "bundle"
    injector: Any = yaml.load((sample / "injector.yaml").read_text())
    config: Any = yaml.load(injector["data"]["config"])
    config["templates"]["gateway"] = "spec: {containers: [{name: istio-proxy, image: proxy:1}]}\n"
    injector["data"]["config"] = yaml.dump(config)
    workload: Any = yaml.load((ROOT / "samples" / "allow" / "input.web.yaml").read_text())
    workload["metadata"] |= {"name": "web", "namespace": "shop"}
    return {
        "configmap istio-sidecar-injector": yaml.dump(injector),
        "configmap istio": (sample / "mesh.yaml").read_text(),
        "proxyconfigs": "apiVersion: v1\nkind: List\nitems: []\n",
        "deployment web": yaml.dump(workload),
        "pods": "NAME READY STATUS RESTARTS AGE REV",
    }


@pytest.fixture
def checkout(tmp_path: Path) -> Generator[Checkout]:
    made = make_checkout(tmp_path)
    made.add_stub("kubectl", _KUBECTL_PROGRAM.format(verbs=_KUBECTL, objects=make_objects()))
    made.add_stub("istioctl", _ISTIOCTL_PROGRAM.format(flags=FLAGS))
    with start_account_with_bucket("bundles-of-migration"):
        yield made


def test_every_command_of_the_page_works_in_order(checkout: Checkout) -> None:
    outputs: dict[str, str] = {}
    for step in STEPS:
        if isinstance(step, PageFile):
            checkout.write(step)
        else:
            outputs[step.line] = checkout.run(step)
    programs = {line.split()[0] for line in outputs}
    assert {"kubectl", "podgraft", "mkdir", "python"} <= programs

    explained = {line: text for line, text in outputs.items() if " explain " in line}
    by_file = {line.split()[3]: text for line, text in explained.items()}
    assert "injected, decided by" in by_file["gateway.yaml"]
    assert "a pod with a sidecar is not part of the ambient mesh" in by_file["web.yaml"]


def test_the_comparison_of_the_page_finds_a_difference(checkout: Checkout) -> None:
    [compare] = [
        step for step in STEPS if not isinstance(step, PageFile) and "python -c" in step.line
    ]
    for name, text in (("ours.yaml", "a: 1\nb: 2\n"), ("theirs.yaml", "{b: 2, a: 3}\n")):
        (checkout.folder / name).write_text(text)
    with pytest.raises(AssertionError):
        checkout.run(compare)
    (checkout.folder / "theirs.yaml").write_text("{b: 2, a: 1}\n")
    assert checkout.run(compare) == ""


@pytest.mark.parametrize("case", ANSWERS, ids=lambda case: " ".join(case["register"])[:60])
def test_check_inject_reports_named_registrations(
    case: dict[str, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    """Istio's function got the registrations that these options print."""
    command = ("register", "--url", "https://webhook.example.com", "--injector", "istio")
    assert cli.main([*command, *case["register"]]) == 0
    made: Any = yaml.load(capfd.readouterr().out)
    is_visible = any(webhook["name"].endswith("istio.io") for webhook in made["webhooks"])
    assert is_visible is ("--webhook-name" in case["register"])
    assert is_visible is bool(case["answer"])
    for answer in case["answer"]:
        assert answer["Name"] == made["metadata"]["name"]
        assert answer["Revision"] == made["metadata"]["labels"].get("istio.io/rev", "")


def test_the_values_of_the_page_exist_in_istios_charts() -> None:
    named = re.findall(r"(?:global|istiodRemote|sidecarInjectorWebhook)\.\w+", PAGE)
    settings = {
        name
        for name in named
        if not name.startswith(("global.multi", "global.tag", "global.hub", "global.network"))
    }
    assert settings <= set(FLAGS["values"])
    assert {"istiodRemote.injectionURL", "istiodRemote.injectionCABundle"} <= settings


LIVE = re.findall(r"`podgraft ((?:import istio|compare|explain pod|status)[^`]*)`", PAGE)


@pytest.mark.parametrize("text", LIVE)
def test_the_commands_that_read_a_cluster_have_these_options(text: str) -> None:
    """They need a cluster, so only their names and options are compared."""
    command: Any = cli.podgraft
    words = text.split()
    while words and hasattr(command, "get_command"):
        child = command.get_command(None, words[0])
        assert child is not None, words[0]
        command, words = child, words[1:]
    known = {name for parameter in command.params for name in parameter.opts}
    options = {word for word in words if word.startswith("-")}
    assert options <= known
