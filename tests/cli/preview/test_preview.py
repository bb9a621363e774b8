"""``podgraft policy preview``: same, changed, failed, or unknown for each recorded workload."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from podgraft.base.field_reads import find_metadata_keys
from podgraft.base.jsonvalue import Object
from podgraft.cli import main
from podgraft.cli.policy.preview.replay import PreviewOutcome, preview_record
from podgraft.core.bundle.reads import ENGINE_KEYS, find_reads
from podgraft.core.census.record import Record, compute_digest, encode_record, make_path
from podgraft.core.census.redaction import KeyFilter, Redactor
from podgraft.core.versions.snapshot import Snapshot
from podgraft.service.store.folder import FolderStore
from support.broken_bundles import overlay
from support.config_folder import write_folder
from support.mutating_policies import label, make_bundle
from support.store_fixture import BUNDLE, CONFIG, write_injector

PODS: Object = {"group": "", "version": "v1", "kind": "Pod"}
RESOURCE: Object = {"group": "", "version": "v1", "resource": "pods"}
MARKER = "image: registry.example.com/init:1"


def make_files(template: str) -> Mapping[str, bytes]:
    """The bundle with more lines in the init container of the template."""
    lines = "".join(f"\n            {line}" for line in template.splitlines())
    return {**BUNDLE, "injector.yaml": CONFIG.replace(MARKER, MARKER + lines).encode()}


def make_snapshot(folder: Path, template: str, policy: str = "policy: enabled") -> Snapshot:
    store = write_injector(folder, policy=policy, files=make_files(template))
    return FolderStore(store).snapshot("default", None)


def make_pod(**metadata: Any) -> Object:
    container: Any = {
        "name": "web",
        "image": "nginx",
        "env": [{"name": "A", "value": "value-of-a"}],
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web", "namespace": "shop", **metadata},
        "spec": {"containers": [container]},
    }


def make_record(stable: Snapshot, pod: Object, **fields: Any) -> Record:
    """The record of a pod, redacted as the writer redacts it."""
    names = find_metadata_keys(find_reads(stable.bundle, "inject"))
    keys = KeyFilter(names, ENGINE_KEYS)
    record = Record(
        injector="default",
        cluster="prod-eu",
        namespace="shop",
        workload="Deployment/web",
        route="inject",
        request={"operation": "CREATE", "kind": PODS, "resource": RESOURCE},
        environment={},
        object=Redactor(bytes(32), keys).redact(pod),
        decision="inject",
        date="2026-11-22",
    )
    return replace(record, **fields)


ANNOTATED = make_pod(
    annotations={"example.com/tier": "gold", "example.com/other": "silver"},
    labels={"app": "web", "team": "a"},
)
TIER = '{{ if eq (index .ObjectMeta.Annotations "example.com/tier") "gold" }}tty: true{{ end }}'
PRINTED = 'workingDir: {{ index .ObjectMeta.Annotations "example.com/tier" | quote }}'
ENV = (
    '{{ range .Spec.Containers }}{{ range .Env }}{{ if eq .Value "value-of-a" }}tty: true{{ end }}'
    "{{ end }}{{ end }}"
)
NAMES = '{{ range .Spec.Containers }}{{ if eq .Name "web" }}tty: true{{ end }}{{ end }}'
READ = "object.spec.containers[0].env[0].value"
ALL = "workingDir: {{ toJson .ObjectMeta.Annotations | quote }}"
EMPTY = "{{ if .ObjectMeta.Annotations }}tty: true{{ end }}"
FAILING = '{{ if eq .ObjectMeta.Name "web" }}{{ fail "no" }}{{ end }}'
RANGE = (
    '{{ range $k, $v := .ObjectMeta.Annotations }}{{ if eq $v "gold" }}tty: true{{ end }}{{ end }}'
)
CASES = (
    ("the same template", "", "", PreviewOutcome.SAME),
    ("another line", "", "tty: true", PreviewOutcome.CHANGED),
    ("the candidate fails", "", FAILING, PreviewOutcome.FAILED),
    ("a name that is recorded", "", NAMES, PreviewOutcome.CHANGED),
    ("a value that stable reads by name", TIER, TIER + "\n", PreviewOutcome.SAME),
    ("a value that only the candidate tests", "", TIER, PreviewOutcome.UNKNOWN),
    ("a value that only stable tests", TIER, "", PreviewOutcome.CHANGED),  # it is recorded
    ("a value of the environment", "", ENV, PreviewOutcome.UNKNOWN),
    ("a value in a variable", "", RANGE, PreviewOutcome.UNKNOWN),
    ("all values, printed by both", ALL, ALL + "\ntty: true", PreviewOutcome.CHANGED),
    ("all values, printed in the same line", ALL, ALL + "\n", PreviewOutcome.SAME),
    ("whether there are values", "", EMPTY, PreviewOutcome.CHANGED),
)


@pytest.mark.parametrize(
    ("stable", "candidate", "expected"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_a_preview_is_certain_or_unknown(
    tmp_path: Path, stable: str, candidate: str, expected: PreviewOutcome
) -> None:
    before = make_snapshot(tmp_path / "a", stable)
    after = make_snapshot(tmp_path / "b", candidate, policy="{}")
    result = preview_record(make_record(before, ANNOTATED), before, after)
    assert result.outcome is expected, result.reason
    assert bool(result.kind) is (expected is PreviewOutcome.CHANGED)
    assert bool(result.reason) is (expected in {PreviewOutcome.FAILED, PreviewOutcome.UNKNOWN})


def test_a_pod_that_is_denied_depends_on_its_own_templates_only(tmp_path: Path) -> None:
    before, after = make_snapshot(tmp_path / "a", ""), make_snapshot(tmp_path / "b", ENV)
    for names, expected in (
        ("absent", PreviewOutcome.SAME),
        ("sidecar, absent", PreviewOutcome.SAME),
        ("[absent]", PreviewOutcome.UNKNOWN),  # a token: the name could be any
        ("sidecar", PreviewOutcome.UNKNOWN),
    ):
        record = make_record(before, make_pod(annotations={"inject.istio.io/templates": names}))
        assert preview_record(record, before, after).outcome is expected, names


def test_an_overlay_that_does_not_match_reads_nothing(tmp_path: Path) -> None:
    before = make_snapshot(tmp_path / "a", "")
    value = '{{ index .ObjectMeta.Annotations "example.com/tier" | quote }}'
    template = f"metadata: {{labels: {{a: {value}}}}}"
    for kind, expected in (("pods", PreviewOutcome.UNKNOWN), ("services", PreviewOutcome.SAME)):
        files = {**BUNDLE, **overlay(template, (kind,))}
        store = write_injector(tmp_path / kind, policy="policy: enabled", files=files)
        after = FolderStore(store).snapshot("default", None)
        assert preview_record(make_record(before, ANNOTATED), before, after).outcome is expected


def test_a_record_that_is_no_review_is_unknown(tmp_path: Path) -> None:
    snapshot = make_snapshot(tmp_path, "")
    result = preview_record(
        make_record(snapshot, ANNOTATED, request={"operation": 1}), snapshot, snapshot
    )
    assert (result.outcome, result.reason) == (
        PreviewOutcome.UNKNOWN,
        "the record is not a review",
    )


def test_an_unknown_result_names_the_template_and_the_path(tmp_path: Path) -> None:
    before, after = make_snapshot(tmp_path / "a", ""), make_snapshot(tmp_path / "b", TIER)
    result = preview_record(make_record(before, ANNOTATED), before, after)
    assert result.reason == (
        'template "sidecar" reads metadata.annotations[example.com/tier], which is not recorded'
    )


POLICY_CASES = (
    ("the same label", label("a", "'1'"), label("a", "'1' + ''"), "", PreviewOutcome.SAME),
    ("another label", label("a", "'1'"), label("a", "'2'"), "", PreviewOutcome.CHANGED),
    ("a failure", "Object{}", label("a", "object.spec.nope"), "", PreviewOutcome.FAILED),
    ("a name", "Object{}", label("a", "object.metadata.name"), "", PreviewOutcome.CHANGED),
    ("a value of the environment", "Object{}", label("a", READ), "", PreviewOutcome.UNKNOWN),
    ("in a condition", "Object{}", label("a", "'1'"), f"{READ} == 'a'", PreviewOutcome.UNKNOWN),
    ("a condition that is false", "Object{}", label("a", READ), "false", PreviewOutcome.SAME),
)


@pytest.mark.parametrize(
    ("stable", "candidate", "condition", "expected"),
    [case[1:] for case in POLICY_CASES],
    ids=[case[0] for case in POLICY_CASES],
)
@pytest.mark.parametrize("route", ["inject", "mutate"])
def test_a_preview_of_mutating_policies_is_certain_or_unknown(
    tmp_path: Path,
    stable: str,
    candidate: str,
    condition: str,
    expected: PreviewOutcome,
    route: str,
) -> None:
    snapshots = [
        FolderStore(
            write_injector(tmp_path / name, files=make_bundle(text, condition=condition))
        ).snapshot("default", None)
        for name, text in (("a", stable), ("b", candidate))
    ]
    fields = {"route": route, "decision": "skip" if stable == "Object{}" else route}
    record = make_record(snapshots[0], make_pod(), **fields)
    result = preview_record(record, *snapshots)
    assert result.outcome is expected, result.reason


LINES = (TIER, PRINTED, ENV, NAMES, ALL, EMPTY, RANGE, "tty: true", "")
PODS_OF_LAW = (
    ANNOTATED,
    make_pod(),
    make_pod(annotations={"example.com/tier": "bronze"}),
    make_pod(annotations={"example.com/other": "gold"}),
)


@pytest.mark.parametrize("candidate", LINES)
@pytest.mark.parametrize("stable", LINES)
def test_a_result_of_a_record_is_that_of_the_pod(
    tmp_path: Path, stable: str, candidate: str
) -> None:
    """The law of the preview: same and changed are also the results for the complete object."""
    before = make_snapshot(tmp_path / "a", stable)
    after = make_snapshot(tmp_path / "b", candidate, policy="{}")
    for pod in PODS_OF_LAW:
        record = make_record(before, pod)
        result = preview_record(record, before, after)
        complete = preview_record(replace(record, object=pod), before, after)
        if result.outcome is not PreviewOutcome.UNKNOWN:
            assert (result.outcome, result.lines) == (complete.outcome, complete.lines)


def test_a_selector_of_the_policy_is_unknown_for_an_unrecorded_label(tmp_path: Path) -> None:
    before = make_snapshot(tmp_path / "a", "")
    for key, expected in (("team", PreviewOutcome.UNKNOWN), ("app", PreviewOutcome.CHANGED)):
        value = "a" if key == "team" else "web"
        policy = f"neverInjectSelector: [{{matchLabels: {{{key}: {value}}}}}]"
        after = make_snapshot(tmp_path / key, "", policy=policy)
        assert preview_record(make_record(before, ANNOTATED), before, after).outcome is expected


def test_stable_that_decides_otherwise_makes_a_result_unknown(tmp_path: Path) -> None:
    snapshot = make_snapshot(tmp_path, "")
    record = make_record(
        snapshot,
        ANNOTATED,
        decision="skip",
        bundle=snapshot.bundle.digest,
        policy=snapshot.policy_version,
    )
    result = preview_record(record, snapshot, snapshot)
    assert result.outcome is PreviewOutcome.UNKNOWN
    assert result.reason == "stable decides differently for the record and for the review"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store, a census of three workloads in two clusters, and a candidate that changes them."""
    monkeypatch.chdir(tmp_path)
    stable = make_snapshot(tmp_path / "store", "")
    write_injector(tmp_path, "next", files=make_files("tty: true"), policy="policy: enabled")
    for cluster, name in (("prod-eu", "web"), ("prod-eu", "cart"), ("dev", "<b>web")):
        record = make_record(stable, ANNOTATED, cluster=cluster, workload=f"Deployment/{name}")
        path = make_path(record, compute_digest(record), "2026-W47")
        assert path is not None
        file = tmp_path / "store" / "census" / path
        file.parent.mkdir(parents=True)
        file.write_bytes(encode_record(record))
    return tmp_path


PREVIEW = ("policy", "preview", "next", "--config", "store")


@pytest.mark.usefixtures("place")
def test_the_text_has_counts_kinds_and_examples(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*PREVIEW]) == 0
    out = capsys.readouterr().out
    assert "3 workloads in 2 clusters, recorded from 2026-11-22 to 2026-11-22" in out
    assert "changed       3   1 kind\n" in out
    assert "add spec.initContainers[istio-init].tty" in out
    assert "3 workloads (dev 1, prod-eu 2)" in out


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (("--fail-on", "changed"), 3),
        (("--fail-on", "failed,unknown"), 0),
        (("--fail-on", "unknown,changed"), 3),
        (("--fail-on", "maybe"), 2),
        (("--cluster", "staging"), 1),
        (("--namespace", "shop"), 0),
        (("--census", "absent"), 1),
        (("--sample", "shop/Deployment/absent"), 1),
    ],
)
@pytest.mark.usefixtures("place")
def test_the_exit_status_is_for_pipelines(options: tuple[str, ...], status: int) -> None:
    assert main([*PREVIEW, *options]) == status


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("cluster", ["dev", "prod-eu"]),
        ("namespace", ["dev/shop", "prod-eu/shop"]),
        (
            "owner",
            [
                "dev/shop/Deployment/<b>web",
                *(f"prod-eu/shop/Deployment/{n}" for n in ("cart", "web")),
            ],
        ),
    ],
)
@pytest.mark.usefixtures("place")
def test_json_has_rows_and_all_workloads(
    by: str, names: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*PREVIEW, "-o", "json", "--by", by]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [*document[f"by{by.title()}"]] == names
    assert document["counts"] == {"same": 0, "changed": 3, "failed": 0, "unknown": 0}
    assert len(document["workloads"]) == 3


@pytest.mark.usefixtures("place")
def test_markdown_does_not_interpret_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*PREVIEW, "-o", "markdown", "--by", "owner"]) == 0
    assert "| `dev/shop/Deployment/<b>web` | 0 | 1 | 0 | 0 |" in capsys.readouterr().out


@pytest.mark.usefixtures("place")
def test_a_sample_is_a_diff_with_tokens(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*PREVIEW, "--sample", "prod-eu/shop/Deployment/web"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# prod-eu shop Deployment/web inject changed\n--- a/")
    assert "\n+    tty: true\n" in out
    assert "value-of-a" not in out


def test_without_a_folder_the_candidate_is_that_of_the_rollout(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ["policy", "preview", "--config", "store"]
    assert main(line) == 1
    assert "the policy has no rollout; name a candidate" in capsys.readouterr().err
    (place / "store/default/policy.yaml").write_text(
        "policy: enabled\nrollout:\n  id: a\n  mode: shadow\n  candidate:\n    policy: disabled\n"
    )
    assert main([*line, "-o", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["candidate"] == "rollout a"
    assert document["counts"]["changed"] == 3


def test_clusters_have_the_groups_of_their_callers(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The policy names no member of the group, and the function finds it in the registry."""
    (place / "store/auth").mkdir()
    (place / "store/auth/dev.yaml").write_text("groups: [ring-0]\n")
    policy = "policy: enabled\ngroups: {ring-0: {policy: disabled}}\n"
    line = ["policy", "preview", "--config", "store", "-o", "json"]
    line.append(write_folder(place / "grouped", place / "store/default", policy))
    assert main(line) == 0
    document = json.loads(capsys.readouterr().out)
    assert {name: row["changed"] for name, row in document["byCluster"].items()} == {
        "dev": 1,
        "prod-eu": 0,
    }
    assert main([*line, "--by", "group"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {name: sum(row.values()) for name, row in document["byGroup"].items()} == {
        "ring-0": 1,
        "-": 2,
    }
    assert main([*line, "--group", "ring-0"]) == 0
    assert json.loads(capsys.readouterr().out)["byCluster"].keys() == {"dev"}
    assert main([*line, "--group", "ring-1"]) == 1
    assert "no recorded workload is of a cluster in ring-1; " in capsys.readouterr().err


def test_an_injector_without_a_policy_has_no_preview(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(place / "store/default")
    assert main([*PREVIEW]) == 1
    assert "injector default has no policy; push one first" in capsys.readouterr().err


def test_a_damaged_record_is_named(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [file, *_] = sorted((place / "store" / "census").rglob("*.gz"))
    file.write_bytes(b"damaged")
    assert main([*PREVIEW]) == 1
    assert f"{file.name}: must be compressed JSON; delete it" in capsys.readouterr().err


def test_the_commands_of_the_census(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = place / "store" / "default" / "census.key"
    assert main(["policy", "census", "on", "--config", "store"]) == 0
    assert key.stat().st_mode & 0o777 == 0o600
    content = key.read_text()
    assert main(["policy", "census", "on", "--config", "store"]) == 0
    assert key.read_text() == content
    assert content.strip() not in capsys.readouterr().out
    assert main(["policy", "census", "stats", "--config", "store", "-o", "json"]) == 0
    stats = json.loads(capsys.readouterr().out)
    assert main(["policy", "census", "stats", "--config", "store"]) == 0
    assert "workloads  3\n                1 in dev\n" in capsys.readouterr().out
    assert (stats["workloads"], stats["clusters"]) == (3, {"dev": 1, "prod-eu": 2})
    purge = ["policy", "census", "purge", "--config", "store"]
    assert main(purge) == 0
    assert main([*purge, "--cluster", "dev", "--yes"]) == 0
    assert len([*(place / "store" / "census").rglob("*.gz")]) == 2
    assert main([*purge, "--yes"]) == 0
    assert not [*(place / "store" / "census").iterdir()]
    assert main(["policy", "census", "off", "--config", "store"]) == 0
    assert not key.exists()
