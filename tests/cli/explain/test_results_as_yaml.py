"""``podgraft explain -o yaml`` and ``-o patch``: the objects of files after their reviews."""

import io
import json
from pathlib import Path

import pytest

from podgraft import cli
from podgraft.base.jsonvalue import JSON, object_at, objects_at
from podgraft.kube import yaml

SAMPLES = Path(__file__).parents[3] / "samples"
ALLOW = ("--config", str(SAMPLES / "allow" / "bundle"))
LOGGING = ("--config", str(SAMPLES / "logging" / "bundle"))
WEB = str(SAMPLES / "allow" / "input.web.yaml")
SERVICE = "# kept\nkind: Service\napiVersion: v1\nmetadata:   {name: x}\n"
DEPLOYMENT = """kind: Deployment
apiVersion: apps/v1
metadata: {name: web}
spec:
  template:
    metadata: {annotations: {logging.example.com/path: /var/log}}
    spec: {containers: [{name: web, image: "web:1"}]}
"""
DENIED = DEPLOYMENT.replace("/var/log", '"/tmp\\n    securityContext: {privileged: true}"')
POD = """kind: Pod
apiVersion: v1
metadata: {name: p, annotations: {logging.example.com/path: /var/log}}
spec: {containers: [{name: a, image: "a:1"}]}
"""

Out = pytest.CaptureFixture[str]


def test_objects_of_standard_input_are_changed_and_others_copied(
    monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{SERVICE}---\n{DEPLOYMENT}"))

    assert cli.main(["explain", "-o", "yaml", "-f", "-", *ALLOW]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith(f"{SERVICE}---\nkind: Deployment\n")
    after = [*yaml.load_all(printed.out)][1]
    assert isinstance(after, dict)
    assert after["metadata"] == {"name": "web", "annotations": {"web/Allow": "true"}}
    assert printed.err.splitlines() == [
        "the pods of workloads are not reviewed; use --pods for them",
        "Service/x in default: skipped (nothing-matches, rules)",
        "Deployment/web in default: changed (overlays, rules)",
        "changed 1 of 2 objects",
    ]


STATUSES = (
    # (documents, options, status, last lines of standard error)
    ((DEPLOYMENT,), ALLOW, 0, "changed 1 of 1 objects"),
    ((SERVICE,), ALLOW, 3, "changed 0 of 1 objects"),
    ((SERVICE, DEPLOYMENT), ALLOW, 0, "changed 1 of 2 objects"),
    ((DEPLOYMENT,), LOGGING, 3, "changed 0 of 1 objects"),
    ((DEPLOYMENT,), (*LOGGING, "--pods"), 0, "changed 1 of 2 objects"),
    ((SERVICE, DENIED), (*LOGGING, "--pods"), 4, "changed 0 of 3 objects"),
    ((POD,), LOGGING, 0, "changed 1 of 1 objects"),
    ((POD, "kind: Pod\n"), LOGGING, 1, "one without apiVersion or kind"),
    (("[a]",), LOGGING, 1, "expected an object, got a list"),
    (("",), LOGGING, 1, "contains no object; name a file with one"),
)


@pytest.mark.parametrize(("texts", "options", "status", "message"), STATUSES)
def test_the_exit_status_is_that_of_all_objects(
    tmp_path: Path,
    capsys: Out,
    texts: tuple[str, ...],
    options: tuple[str, ...],
    status: int,
    message: str,
) -> None:
    path = tmp_path / "in.yaml"
    path.write_text("---\n".join(texts))

    assert cli.main(["explain", "-o", "yaml", "-f", str(path), *options]) == status
    printed = capsys.readouterr()
    assert message in printed.err
    assert bool(printed.out) == (status in (0, 3))


def test_the_reasons_are_those_of_the_calls_that_count(capsys: Out) -> None:
    sample = SAMPLES / "hello"
    files = ("-f", str(sample / "input.web.yaml"), "--config", str(sample))
    assert cli.main(["explain", "-o", "patch", *files]) == 0
    [line, _] = capsys.readouterr().err.splitlines()
    assert line == "Pod/web in default: injected (policy-enabled)"


def test_the_pods_of_workloads_follow_their_file(tmp_path: Path, capsys: Out) -> None:
    path = tmp_path / "in.yaml"
    path.write_text(DEPLOYMENT)

    assert cli.main(["explain", "-o", "yaml", "-f", str(path), *LOGGING, "--pods"]) == 0
    workload, pod = (each for each in yaml.load_all(capsys.readouterr().out) if each)
    assert workload == yaml.load(DEPLOYMENT)
    assert isinstance(pod, dict)
    assert "log-shipper" in yaml.dump(pod["spec"])


def test_a_diff_has_only_changed_objects(tmp_path: Path, capsys: Out) -> None:
    path = tmp_path / "in.yaml"
    path.write_text(f"{SERVICE}---\n{DEPLOYMENT}")

    assert cli.main(["explain", "-o", "yaml", "-f", str(path), *ALLOW, "-o", "patch"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(
        "--- Deployment/web in default\n+++ Deployment/web in default, changed"
    )
    assert '+  annotations:\n+    web/Allow: "true"\n' in printed
    assert "Service" not in printed


def test_results_as_json_have_those_of_denied_objects(tmp_path: Path, capsys: Out) -> None:
    path = tmp_path / "in.yaml"
    path.write_text(DENIED)

    assert cli.main(["explain", "-f", str(path), *LOGGING, "-o", "json"]) == 4
    workload, pod = json.loads(capsys.readouterr().out)["objects"]
    assert (workload["verdict"], workload["object"], pod["verdict"]) == (
        "skipped",
        "Deployment/web",
        "denied",
    )
    assert pod["result"] is None
    assert "privileged" not in pod["messages"][0]


def test_the_items_of_a_list_are_changed_in_it(tmp_path: Path, capsys: Out) -> None:
    path = tmp_path / "in.yaml"
    items: list[JSON] = [yaml.load(SERVICE), yaml.load(DEPLOYMENT)]
    path.write_text(yaml.dump({"kind": "List", "apiVersion": "v1", "items": items}))

    assert cli.main(["explain", "-o", "yaml", "-f", str(path), *ALLOW]) == 0
    after = yaml.load_all(capsys.readouterr().out)[0]
    assert isinstance(after, dict)
    service, deployment = objects_at(after, "items")
    assert service == yaml.load(SERVICE)
    assert object_at(deployment, "metadata", "annotations") == {"web/Allow": "true"}


def test_folders_and_several_files(tmp_path: Path, capsys: Out) -> None:
    (tmp_path / "a.yaml").write_text(DEPLOYMENT)
    (tmp_path / "b.json").write_text(json.dumps(yaml.load(SERVICE)))
    (tmp_path / "c.txt").write_text("not a manifest")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "d.yml").write_text(SERVICE)
    folder = str(tmp_path)

    assert cli.main(["explain", "-o", "yaml", "-f", folder, *ALLOW]) == 0
    assert "changed 1 of 2 objects" in capsys.readouterr().err
    assert cli.main(["explain", "-o", "yaml", "-f", folder, "-R", "-f", WEB, *ALLOW]) == 0
    assert "changed 2 of 4 objects" in capsys.readouterr().err
    assert (
        cli.main(["explain", "-o", "yaml", "-f", str(tmp_path / "a.yaml"), "-f", folder, *ALLOW])
        == 0
    )
    assert "changed 1 of 2 objects" in capsys.readouterr().err  # each file once
    (tmp_path / "more" / "d.yml").rename(tmp_path / "more" / "d.txt")
    assert cli.main(["explain", "-o", "yaml", "-f", str(tmp_path / "more"), *ALLOW]) == 1
    assert "contains no .yaml, .yml, or .json file" in capsys.readouterr().err
