"""docs/from-istio.md: istioctl accepts its arguments, and reports its registrations.

test_page_commands.py runs the commands. ``istioctl/flags.json`` has the flags and the values of
Istio 1.30.3, and ``istioctl/check_inject.json`` the answers of Istio's own function.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from podgraft import cli
from podgraft.kube import yaml
from support.repository_pages import PageCommand, read_steps

ROOT = Path(__file__).parents[2]
FIXTURES = Path(__file__).parent / "istioctl"
PAGE = (ROOT / "docs" / "from-istio.md").read_text()
FLAGS = json.loads((FIXTURES / "flags.json").read_text())
ANSWERS = json.loads((FIXTURES / "check_inject.json").read_text())["cases"]
# Verbs of kubectl with the flags that each accepts, from kubectl's reference.
KUBECTL = {
    "apply": {"--server-side", "-f"},
    "label": {"--overwrite"},
    "rollout": set[str](),
    "delete": {"--ignore-not-found"},
}
COMMANDS = [step.words for step in read_steps(PAGE) if isinstance(step, PageCommand)]


@pytest.mark.parametrize("words", [each for each in COMMANDS if each[0] == "kubectl"], ids=" ".join)
def test_kubectl_accepts_the_arguments(words: list[str]) -> None:
    verb, *rest = words[3:] if words[1] == "-n" else words[1:]
    flags = {word.partition("=")[0] for word in rest if word.startswith("-")}
    assert flags <= KUBECTL[verb]


@pytest.mark.parametrize(
    "words", [each for each in COMMANDS if each[0] == "istioctl"], ids=" ".join
)
def test_istioctl_accepts_the_arguments(words: list[str]) -> None:
    line = " ".join(words[1:])
    command = max((name for name in FLAGS["commands"] if line.startswith(name)), key=len)
    accepted = {*FLAGS["commands"][command], *FLAGS["global"]}
    for word in words:
        if word.startswith("-"):
            assert word.partition("=")[0].lstrip("-") in accepted, word
        if word.startswith("values."):
            assert word.partition("=")[0].removeprefix("values.") in FLAGS["values"], word


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
