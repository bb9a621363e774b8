"""``podgraft policy bench``: rows, baselines, formats, and exit statuses, with a fixed clock."""

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from podgraft.cli.policy import bench_command
from podgraft.cli.policy.bench.measurement import NEW, REPEATED, RULES
from support.policy_account import REMOTE, Account, Run

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, labels: {app: web}}
spec: {containers: [{name: web, image: "registry.example.com/web:1"}]}
"""
OVERLAY = """\
apiVersion: podgraft.dev/v1
kind: Overlay
metadata: {name: logs}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"]}]
  template: "metadata: {annotations: {logs: {{ .ObjectMeta.Name | quote }}}}"
"""
RULE = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: rule}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"]}]
  validations: [{expression: "true"}]
"""
FAST = ("--rounds", "5")


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each measured action takes a millisecond."""
    ticks = count()
    monkeypatch.setattr(bench_command, "CLOCK", lambda: next(ticks) / 1000)


@pytest.fixture
def pod(tmp_path: Path) -> Path:
    path = tmp_path / "pod.yaml"
    path.write_text(POD)
    return path


def copy_folder(local: Path, name: str, **files: str) -> Path:
    folder = local.parent / name
    (folder / "bundle").mkdir(parents=True)
    for path in local.rglob("*.yaml"):
        (folder / path.relative_to(local)).write_bytes(path.read_bytes())
    for stem, text in files.items():
        (folder / "bundle" / f"{stem}.yaml").write_text(text)
    return folder


def test_each_template_has_a_row(run: Run, local: Path, pod: Path) -> None:
    folder = copy_folder(local, "more", overlay=OVERLAY, rule=RULE)

    result = run("bench", str(folder), "-f", str(pod), *FAST, "-o", "json")

    assert result.status == 0, result.err
    measured: dict[str, Any] = json.loads(result.out)
    names = [row["name"] for row in measured["rows"]]
    assert names[:2] == [NEW, REPEATED]
    assert names[-1] == RULES
    assert "overlay logs" in names
    assert any(name.startswith("template ") for name in names)
    assert {row["objects"] for row in measured["rows"]} == {1}
    assert {len(row["seconds"]) for row in measured["rows"]} == {5}
    assert measured["rows"][0]["medianSeconds"] == pytest.approx(0.001)


def test_a_workload_is_measured_with_its_pod(run: Run, local: Path) -> None:
    deployment = local.parent / "deployment.yaml"
    deployment.write_text(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n"
        "  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n"
        "    spec: {containers: [{name: web, image: i}]}\n"
    )

    result = run("bench", str(local), "-f", str(deployment), *FAST, "-o", "json")

    rows = {row["name"]: row for row in json.loads(result.out)["rows"]}
    assert rows[NEW]["objects"] == 2
    assert {row["objects"] for name, row in rows.items() if name.startswith("template")} == {1}


def test_equal_times_have_status_0(run: Run, local: Path, pod: Path) -> None:
    other = copy_folder(local, "other")

    result = run("bench", str(local), "-f", str(pod), *FAST, "--compare", str(other))

    assert (result.status, result.err) == (0, "")
    assert result.out.endswith("\n\nno row is slower by more than 10 %\n")


def test_a_slower_row_has_status_1(run: Run, local: Path, pod: Path) -> None:
    saved = save_measurement(run, local, pod, factor=0.5)

    result = run("bench", str(local), "-f", str(pod), *FAST, "--compare", str(saved))

    assert result.status == 1
    assert f"\nslower by more than 10 %: {NEW}, {REPEATED}, " in result.out
    assert "\nchange: relative to fixed work, which took 1 ms before and 1 ms after\n" in result.out


def test_the_threshold_is_in_percent(run: Run, local: Path, pod: Path) -> None:
    saved = save_measurement(run, local, pod, factor=0.5)

    result = run(
        "bench", str(local), "-f", str(pod), *FAST, "--compare", str(saved), "--threshold", "150"
    )

    assert result.status == 0, result.out


def save_measurement(run: Run, local: Path, pod: Path, factor: float = 1.0) -> Path:
    measured = json.loads(run("bench", str(local), "-f", str(pod), *FAST, "-o", "json").out)
    for row in measured["rows"]:
        row["seconds"] = [factor * each for each in row["seconds"]]
    path = local.parent / "baseline.json"
    path.write_text(json.dumps(measured))
    return path


def test_markdown_is_a_table_for_pull_requests(run: Run, local: Path, pod: Path) -> None:
    saved = save_measurement(run, local, pod)
    compared = ("bench", str(local), "-f", str(pod), *FAST, "--compare", str(saved))

    lines = run(*compared, "-o", "markdown").out.splitlines()

    assert lines[2].split("|")[1].strip() == "row"
    assert set(lines[3]) == {"|", "-", " "}
    assert all(line.startswith("| ") for line in lines[2:6])


def test_json_of_a_comparison_can_be_the_next_baseline(run: Run, local: Path, pod: Path) -> None:
    saved = save_measurement(run, local, pod)
    compared = ("bench", str(local), "-f", str(pod), *FAST, "--compare")
    first = run(*compared, str(saved), "-o", "json")
    again = local.parent / "again.json"
    again.write_text(first.out)

    assert json.loads(first.out)["regressions"] == []
    assert run(*compared, str(again)).status == 0


def test_the_baseline_can_be_the_version_in_force(
    run: Run, local: Path, store: Path, pod: Path
) -> None:
    target = ("--store", str(store), "--injector", "shop")

    result = run("bench", str(local), "-f", str(pod), *FAST, "--compare", "current", *target)

    assert result.status == 0, result.err
    assert f"before: {store / 'shop'}\n" in result.out


def test_the_baseline_can_be_a_stored_version(
    run: Run, local: Path, pod: Path, account: Account
) -> None:
    del account
    assert run("push", str(local), *REMOTE).status == 0
    compared = ("bench", str(local), "-f", str(pod), *FAST, *REMOTE, "--compare")

    result = run(*compared, "1")

    assert result.status == 0, result.err
    assert "before: version 1 of /podgraft-dev/shop/policy\n" in result.out
    absent = run(*compared, "7")
    assert (absent.status, "version 7 not found" in absent.err) == (2, True)


ERRORS = (
    (("--compare", "absent"), 'error: --compare: got "absent"; use a folder, a file of -o json, '),
    (("--compare", "3"), "Missing option '--stack-name' or '--bucket'."),
    (("--compare", "POD"), "expected a measurement of format podgraft-bench/v1; save one with"),
    (("--threshold", "5"), "--threshold requires --compare"),
    (("--compare", "OTHER"), "measured other objects; use the same -f, or measure again"),
    (("--compare", "EMPTY"), "invalid measurement: a row has no valid samples"),
)


@pytest.mark.parametrize(("options", "message"), ERRORS, ids=lambda value: str(value)[-20:])
def test_errors_have_status_2(
    options: tuple[str, ...], message: str, run: Run, local: Path, pod: Path
) -> None:
    saved = save_measurement(run, local, pod)
    measured = json.loads(saved.read_text())
    files: dict[str, Any] = {
        "OTHER": {**measured, "objects": "sha256:1"},
        "EMPTY": {**measured, "calibration": []},
    }
    for name, content in files.items():
        (local.parent / name).write_text(json.dumps(content))
    (local.parent / "POD").write_text(json.dumps({"kind": "Pod"}))
    arguments = [str(local.parent / each) if each.isupper() else each for each in options]

    result = run("bench", str(local), "-f", str(pod), *FAST, *arguments)

    assert result.status == 2
    assert message in result.err
    assert not result.out


def test_a_review_that_fails_is_an_error(run: Run, local: Path, pod: Path) -> None:
    broken = OVERLAY.replace(
        "{{ .ObjectMeta.Name | quote }}",
        "{{ if eq .ObjectMeta.Name `web` }}{{ fail `no` }}{{ end }}",
    )
    folder = copy_folder(local, "broken", overlay=broken)

    result = run("bench", str(folder), "-f", str(pod), *FAST)

    assert result.status == 2
    assert "Pod/web in shop: " in result.err
    assert "overlay logs" in result.err
