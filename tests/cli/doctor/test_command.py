"""``podgraft doctor``: contexts, formats, options, and exit statuses."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from cli.doctor.conftest import HOOKS, NAMESPACES, Site
from podgraft.cli import main
from podgraft.cli.live.api_errors import ApiError, ForbiddenError
from podgraft.kube import yaml
from support.fake_cluster import FakeReader, use_contexts
from support.kube_schemas import RELEASES, validate

JOB = Path(__file__).parents[3] / "deploy" / "kubernetes" / "doctor.yaml"
RESOURCES = {
    "mutatingwebhookconfigurations",
    "namespaces",
    "validatingadmissionpolicies",
    "validatingadmissionpolicybindings",
    "validatingwebhookconfigurations",
}

Out = pytest.CaptureFixture[str]
UNREACHABLE = ApiError("context down: cannot reach the API server; check the server of the context")


def test_all_contexts_are_checked(site: Site, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    healthy = site.objects(site.registration())
    use_contexts(monkeypatch, {"a": healthy, "b": site.objects(), "c": healthy})
    assert main(["doctor", "--contexts", "all", "-o", "json"]) == 1
    clusters = json.loads(capsys.readouterr().out)["clusters"]
    assert [(each["context"], each["faults"]) for each in clusters] == [
        ("a", 0),
        ("b", 1),
        ("c", 0),
    ]
    assert clusters[0]["cluster"] == "prod-eu"
    assert {len(each["checks"]) for each in clusters} == {25}
    [fault] = [each for each in clusters[1]["checks"] if each["state"] == "fault"]
    assert (fault["id"], fault["findings"][0]["cause"]) == ("D20", None)
    assert main(["doctor", "--contexts", "a,c"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("a (cluster prod-eu): 22 ok, 3 skipped\n")
    assert "  skipped: D17 (needs --regions)\n" in out


def test_the_first_line_counts_the_states(
    site: Site, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    own = site.registration()
    other = {**own, "metadata": {**own["metadata"], "name": "podgraft-other"}}
    use_contexts(monkeypatch, {"": site.objects(own, other)})
    assert main(["doctor", "--cluster", "prod-us"]) == 1
    first = capsys.readouterr().out.splitlines()[0]
    assert first.endswith(": 20 ok, 2 faults, 3 skipped")


def test_the_job_in_a_cluster_has_the_rights_that_it_needs(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifests: list[Any] = [*yaml.load_all(JOB.read_text())]
    for each in manifests:
        validate(each, RELEASES[-1])
    _, _, role, _, job = manifests
    allowed = {
        (verb, group, resource)
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }
    used: set[tuple[str, str, str]] = set()

    def get(reader: FakeReader, path: str, **query: str) -> Any:
        names = path.strip("/").split("/")
        group = names[1] if names[0] == "apis" else ""
        verb, resource = ("list", names[-1]) if names[-1] in RESOURCES else ("get", names[-2])
        used.add((verb, group, resource))
        return read(reader, path, **query)

    read = FakeReader.get
    monkeypatch.setattr(FakeReader, "get", get)
    registration = site.registration(failurePolicy="Ignore")
    use_contexts(monkeypatch, {"": site.objects(registration)})
    [container] = job["spec"]["template"]["spec"]["containers"]
    assert main(container["args"]) == 1
    assert {each[-1] for each in used} >= {"namespaces", "validatingadmissionpolicies"}
    assert used | {("create", "", "pods")} <= allowed


def test_junit_has_a_suite_for_each_cluster(
    site: Site, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    use_contexts(monkeypatch, {"a": site.objects(site.registration()), "b": site.objects()})
    assert main(["doctor", "--contexts", "all", "-o", "junit"]) == 1
    suites = ET.fromstring(capsys.readouterr().out)  # noqa: S314 - its own output
    assert [(each.get("name"), each.get("failures")) for each in suites] == [("a", "0"), ("b", "1")]
    assert all(each.get("tests") == "25" for each in suites)


def test_statuses(site: Site, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    """A missing right is no fault without --strict; an unreachable cluster has status 2."""
    down = {HOOKS: UNREACHABLE}
    poor = {**site.objects(site.registration()), NAMESPACES: ForbiddenError}
    use_contexts(monkeypatch, {"down": down, "poor": poor, "": poor})
    assert main(["doctor", "--context", "poor"]) == 0
    assert main(["doctor"]) == 0
    assert "unknown: D23, D25, D22 (needs the right to list namespaces)" in capsys.readouterr().out
    assert main(["doctor", "--context", "poor", "--strict"]) == 1
    assert main(["doctor", "--context", "down"]) == 2
    out = capsys.readouterr().out
    assert "\ndown: not checked: " in out
    assert "cannot reach the API server" in out


def test_stores_and_files_of_the_options(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    applied, fleet = tmp_path / "registration.yaml", tmp_path / "fleet.yaml"
    applied.write_text(yaml.dump(site.registration()))
    fleet.write_text(
        "apiVersion: podgraft.dev/v1\nkind: Fleet\n"
        "spec: {groups: {ring-0: {}}, clusters: {prod-eu: {groups: [ring-0]}}}\n"
    )
    live = site.registration(failurePolicy="Ignore")
    use_contexts(monkeypatch, {"": site.objects(live)})
    words = ["doctor", "-f", str(applied), "--config", "store", "--fleet", str(fleet)]
    assert main(words) == 1
    out = capsys.readouterr().out
    assert "D21 changed registration: podgraft-istio: webhooks[istio.inject.podgraft.dev]" in out
    assert "failurePolicy: expected Fail, got Ignore; apply the registration again" in out
    assert "D18 fleet file: cluster prod-eu: groups: none -> ring-0; podgraft fleet apply" in out
    use_contexts(monkeypatch, {"": site.objects()})
    assert main(words) == 1
    assert "D20 registration: podgraft-istio: is not registered" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("--contexts", "all", "--context", "a"), 2, "exclude each other"),
        (("--contexts", "a,"), 2, "--contexts: got 'a,'; use all, or names"),
        (("--regions", "a,b"), 2, "--regions: requires --config stack:NAME"),
        (("--fleet", "fleet.yaml"), 2, "--fleet: requires --config"),
    ],
)
def test_options_that_need_others(
    words: tuple[str, ...],
    status: int,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Out,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("fleet.yaml").write_text("")
    assert main(["doctor", *words]) == status
    assert message in capsys.readouterr().err


def test_invalid_callers_of_the_folder(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    use_contexts(monkeypatch, {"": site.objects()})
    auth = tmp_path / "invalid" / "auth"
    auth.mkdir(parents=True)
    (auth / "prod.yaml").write_text("tokens: {}\n")
    assert main(["doctor", "--config", str(tmp_path / "invalid")]) == 2
    assert "prod.yaml: tokens: expected a list" in capsys.readouterr().err


def test_a_kubeconfig_without_contexts(monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    use_contexts(monkeypatch, {})
    assert main(["doctor", "--contexts", "all"]) == 2
    assert "has no context; set KUBECONFIG" in capsys.readouterr().err
