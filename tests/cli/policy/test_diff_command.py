"""``podgraft diff``: exit statuses, groups, clusters, formats, and what it compares with."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from podgraft.cli.policy.diff import comparison
from support.git import require_git
from support.mutating_policies import label, make_bundle
from support.policy_account import REMOTE, Account, Run, set_tag

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}, namespace: {namespace}}}
spec:
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec: {{containers: [{{name: {name}, image: "registry.example.com/web:1"}}]}}
"""
CRON_JOB = """\
apiVersion: batch/v1
kind: CronJob
metadata: {name: report, namespace: shop}
spec:
  schedule: "@daily"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: r, image: i}]}}}}
"""
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: i}]}\n"
RULE = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: no-latest}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"]}]
  validations:
  - expression: "!has(object.spec.schedule)"
    message: no cron jobs
"""


def at_store(store: Path, *more: str) -> tuple[str, ...]:
    return ("--config", str(store), "--injector", "shop", *more)


@pytest.fixture
def apps(tmp_path: Path) -> Path:
    """A folder with three Deployments, and a CronJob in a folder."""
    folder = tmp_path / "apps"
    (folder / "jobs").mkdir(parents=True)
    for name, namespace in (("web", "shop"), ("cart", "shop"), ("api", "pay")):
        text = DEPLOYMENT.format(name=name, namespace=namespace)
        (folder / f"{name}.yaml").write_text(text)
    (folder / "jobs" / "report.yaml").write_text(CRON_JOB)
    return folder


def test_an_equal_version_has_status_0(run: Run, local: Path, store: Path) -> None:
    result = run("diff", str(local), *at_store(store))

    assert result.status == 0, result.err
    assert result.out == f"# 0 files differ, 0 of 5 objects change; before: {store / 'shop'}\n"


def test_workloads_with_the_same_change_are_one_group(
    run: Run, local: Path, store: Path, apps: Path
) -> None:
    set_tag(local, "1.30.1")

    result = run("diff", str(local), *at_store(store, "-f", str(apps), "-R"))

    assert result.status == 1
    titles = re.findall(r"^# (.*)$", result.out, re.MULTILINE)
    # The change of the CronJob is the same, at another depth.
    assert titles[0] == (
        "the same change for 4 workloads: Deployment/api in pay, Deployment/cart in shop, "
        "CronJob/report in shop, Deployment/web in shop"
    )
    assert titles[1].startswith("1 file differs, 4 of 4 objects change; before: ")
    assert result.out.count("+        image: registry.example.com/proxy:1.30.1") == 1
    assert "\x1b" not in result.out


def test_only_r_reads_folders_in_folders(run: Run, local: Path, store: Path, apps: Path) -> None:
    set_tag(local, "1.30.1")

    result = run("diff", str(local), *at_store(store, "-f", str(apps)))

    assert "# the same change for 3 workloads: " in result.out
    assert "CronJob" not in result.out


def test_different_changes_are_different_groups(
    run: Run, local: Path, store: Path, apps: Path
) -> None:
    (local / "bundle" / "rule.yaml").write_text(RULE)
    set_tag(local, "1.30.1")

    result = run("diff", str(local), *at_store(store, "-f", str(apps), "-R"))

    assert "# the same change for 3 workloads: " in result.out
    assert "# CronJob/report in shop\n" in result.out
    assert re.search(r"^\+# denied: .*no cron jobs$", result.out, re.MULTILINE)
    assert "-kind: CronJob\n" in result.out


CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\ndata: {a: b}\n"


@pytest.mark.parametrize(
    ("resource", "path", "indent", "workload"),
    [
        ("pods", "web.yaml", "        ", "Deployment/web"),
        ("deployments", "web.yaml", "    ", "Deployment/web"),
        ("configmaps", "config.yaml", "    ", "ConfigMap/c"),
    ],
)
def test_a_changed_mutating_policy_changes_the_objects_that_it_matches(  # noqa: PLR0913, PLR0917
    run: Run,
    local: Path,
    store: Path,
    apps: Path,
    resource: str,
    path: str,
    indent: str,
    workload: str,
) -> None:
    (apps / "config.yaml").write_text(CONFIG_MAP)
    for folder, value in ((store / "shop", "old"), (local, "new")):
        files = make_bundle(label("tier", f"'{value}'"), resources=(resource,))
        (folder / "bundle" / "policy.yaml").write_bytes(files["policy.yaml"])

    result = run("diff", str(local), *at_store(store, "-f", str(apps / path)))

    assert result.status == 1, result.err
    assert f"# {workload} in shop\n" in result.out
    assert f"-{indent}tier: old\n+{indent}tier: new\n" in result.out


def test_the_first_push_is_new(run: Run, local: Path, store: Path, apps: Path) -> None:
    result = run(
        *("diff", str(local), "--config", str(store), "--injector", "new"),
        *("-f", str(apps / "web.yaml")),
    )

    assert result.status == 1
    assert "--- /dev/null\n+++ b/policy.yaml\n@@ -0,0 +1,2 @@\n+policy: enabled\n" in result.out
    assert "+++ b/bundle/injector.yaml" in result.out
    assert "+        image: registry.example.com/proxy:1.30.0" in result.out
    assert result.out.endswith("# 3 files differ, 1 of 1 object changes; before: no policy\n")


def test_a_first_push_to_aws_can_be_compared(run: Run, local: Path, account: Account) -> None:
    result = run("diff", str(local), *REMOTE)

    assert (result.status, account.versions()) == (1, [])
    assert "before: no policy" in result.out


def test_the_version_in_force_is_compared_if_the_newest_does_not_load(
    run: Run, local: Path, account: Account
) -> None:
    assert run("push", str(local), *REMOTE).status == 0
    account.put("policy: [")

    result = run("diff", str(local), *REMOTE)

    assert result.status == 0, result.err
    assert "version 2 does not load" in result.err
    assert "before: version 1 of /podgraft-dev/shop/policy" in result.out


def test_each_different_cluster_is_compared(run: Run, local: Path, store: Path, apps: Path) -> None:
    (local / "policy.yaml").write_text("policy: enabled\nclusters: {eu: {policy: disabled}}\n")

    result = run("diff", str(local), *at_store(store, "-f", str(apps)))

    assert result.status == 1
    assert (
        "# the same change for 3 workloads: Deployment/api in pay, Deployment/cart in shop, "
        "Deployment/web in shop (in eu)\n" in result.out
    )
    assert "+# unchanged\n" in result.out
    others = run("diff", str(local), *at_store(store, "-f", str(apps), "--cluster", "us"))
    assert "0 of 3 objects change" in others.out
    one = run("diff", str(local), *at_store(store, "-f", str(apps), "--cluster", "eu"))
    assert "3 of 3 objects change" in one.out


def test_each_different_group_is_compared(run: Run, local: Path, store: Path, apps: Path) -> None:
    """The policy does not name the clusters of a group that the registry gives it."""
    (local / "policy.yaml").write_text(
        "policy: enabled\nclusters: {dev: {policy: disabled}}\n"
        "groups: {ring-0: {policy: disabled}, ring-1: {order: 1}}\n"
    )
    result = run("diff", str(local), *at_store(store, "-f", str(apps), "-o", "json"))
    assert result.status == 1, result.err
    report = json.loads(result.out)
    assert report["clusters"] == ["", "group ring-1", "dev", "group ring-0"]
    assert [each["clusters"] for each in report["groups"]] == [["dev", "group ring-0"]]


def test_one_cluster_has_its_groups_of_the_registry(
    run: Run, local: Path, store: Path, apps: Path
) -> None:
    (local / "policy.yaml").write_text("policy: enabled\ngroups: {ring-0: {policy: disabled}}\n")
    (store / "auth").mkdir()
    (store / "auth" / "prod-eu.yaml").write_text("groups: [ring-0, gone]\n")
    for cluster, changed in (("prod-eu", 3), ("prod-us", 0)):
        result = run("diff", str(local), *at_store(store, "-f", str(apps), "--cluster", cluster))
        assert f"{changed} of 3 objects change" in result.out


def test_a_change_in_all_clusters_is_one_group(
    run: Run, local: Path, store: Path, apps: Path
) -> None:
    for folder in (local, store / "shop"):
        policy = "policy: enabled\nclusters: {eu: {injectedAnnotations: {example.com/a: b}}}\n"
        (folder / "policy.yaml").write_text(policy)
    set_tag(local, "1.30.1")

    result = run("diff", str(local), *at_store(store, "-f", str(apps)))

    # The results differ by the annotation, and the change does not.
    assert result.out.count("# the same change for 3 workloads: ") == 2
    assert "(in clusters without overrides)" in result.out
    assert "(in eu)" in result.out

    for folder in (local, store / "shop"):
        policy = "policy: enabled\nclusters: {eu: {ignoredNamespaces: [other]}}\n"
        (folder / "policy.yaml").write_text(policy)
    equal = run("diff", str(local), *at_store(store, "-f", str(apps)))
    assert equal.out.count("# the same change for 3 workloads: ") == 1
    assert "(in all clusters)" in equal.out


@pytest.mark.parametrize(
    ("option", "text"),
    [
        (("--istio-cluster-id", "prod-eu"), "prod-eu"),
        (("--network", "net-1"), "net-1"),
        (("--env", "EXTRA=extra-value"), "extra-value"),
    ],
)
def test_the_variables_of_the_url_reach_the_proxy(
    run: Run, local: Path, store: Path, apps: Path, option: tuple[str, str], text: str
) -> None:
    """As in ``inject`` and ``explain``: cluster and net are Istio's, and not the caller's id."""
    more = ("--config", str(store), "--injector", "new", "-f", str(apps / "web.yaml"))

    result = run("diff", str(local), *more, *option)

    assert result.status == 1, result.err
    assert re.search(rf"^\+ *value: {text}$", result.out, re.MULTILINE)
    as_caller = run("diff", str(local), *more, "--cluster", text.replace("=", "-"))
    assert f"value: {text}" not in as_caller.out


def test_objects_of_tests_are_compared_by_default(run: Run, local: Path, store: Path) -> None:
    (local / "bundle" / "tests").mkdir()
    (local / "bundle" / "tests" / "own.yaml").write_text(POD.replace("{name: a}", "{name: own}"))
    set_tag(local, "1.30.1")

    result = run("diff", str(local), *at_store(store))

    assert "Pod/own in default, a Deployment's pod" in result.out


def test_an_injected_object_is_reported(run: Run, local: Path, store: Path, tmp_path: Path) -> None:
    file = tmp_path / "pod.yaml"
    annotations = "{name: a, annotations: {sidecar.istio.io/status: '{}'}}"
    file.write_text(POD.replace("{name: a}", annotations, 1))

    result = run("diff", str(local), *at_store(store, "-f", str(file)))

    assert "Pod/a has sidecars already" in result.err


def test_json_has_the_fields_of_each_change(run: Run, local: Path, store: Path, apps: Path) -> None:
    set_tag(local, "1.30.1")

    result = run("diff", str(local), *at_store(store, "-f", str(apps), "-o", "json"))

    document = json.loads(result.out)
    assert (result.status, document["isDifferent"], document["changed"]) == (1, True, 3)
    (group,) = document["groups"]
    assert [each["name"] for each in group["objects"]] == ["api", "cart", "web"]
    assert group["changes"] == [
        {
            "path": "spec.containers[istio-proxy].image",
            "before": "registry.example.com/proxy:1.30.0",
            "after": "registry.example.com/proxy:1.30.1",
        }
    ]
    assert [each["path"] for each in document["files"]] == ["bundle/injector.yaml"]
    same = run("diff", str(local), *at_store(local.parent / "store", "-o", "json"))
    assert json.loads(same.out)["isDifferent"] is True


def test_markdown_has_a_fold_for_each_diff(run: Run, local: Path, store: Path, apps: Path) -> None:
    config = local / "bundle" / "mesh.yaml"
    config.write_text(config.read_text() + "# ```` a fence\n")
    set_tag(local, "1.30.1")

    result = run("diff", str(local), *at_store(store, "-f", str(apps), "-o", "markdown"))

    assert result.out.startswith("### Changes\n")
    assert result.out.count("<details>") == result.out.count("</details>") == 3
    assert "\n`````diff\n" in result.out


def test_a_patch_makes_the_pulled_folder_the_local_one(
    run: Run, local: Path, account: Account
) -> None:
    del account
    require_git()
    assert run("push", str(local), *REMOTE).status == 0
    pulled = local.parent / "pulled"
    assert run("pull", str(pulled), *REMOTE).status == 0
    set_tag(local, "1.30.1")
    (local / "policy.yaml").write_text("# more\npolicy: disabled\n")
    (local / "bundle" / "namespace.yaml").write_text(
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}"
    )

    result = run("diff", str(local), *REMOTE, "-o", "patch")

    assert result.status == 1
    subprocess.run(["git", "apply", "-"], cwd=pulled, input=result.out.encode(), check=True)
    assert run("push", str(local), *REMOTE).status == 0
    assert run("diff", str(pulled), *REMOTE, "-o", "patch").out == ""


@pytest.mark.skipif(not shutil.which("patch"), reason="the program patch is not installed")
def test_patch_reads_the_text_with_all_its_comments(
    run: Run, local: Path, store: Path, apps: Path, tmp_path: Path
) -> None:
    """Each result before the change, in the file that the diff names, becomes the one after."""
    set_tag(local, "1.30.1")
    changes: list[comparison.ObjectChange] = []
    original = comparison.group_changes

    def record(
        each: Iterable[comparison.ObjectChange],
    ) -> tuple[tuple[comparison.ObjectChange, ...], ...]:
        groups = original(each)
        changes.extend(group[0] for group in groups)
        return groups

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparison, "group_changes", record)
        result = run("diff", str(local), *at_store(store, "-f", str(apps), "-R"))
    folder = tmp_path / "before"
    shutil.copytree(store / "shop", folder)
    for change in changes:
        (folder / change.path).parent.mkdir(exist_ok=True)
        (folder / change.path).write_text(change.before.text)
    command = [str(shutil.which("patch")), "-p1", "-s"]
    subprocess.run(command, cwd=folder, input=result.out.encode(), check=True)
    assert changes
    for change in changes:
        assert (folder / change.path).read_text() == change.after.text


ERRORS = (
    (("nowhere",), "nowhere/bundle: not found; check the path"),
    (("mesh", "--injector", "Shop/1"), 'injector: got "Shop/1"'),
    (("mesh", "--cluster", "eu/1"), 'cluster: got "eu/1"'),
    (("mesh", "--injector", "shop", "--env", "1=2"), "--env: got the name '1'; use NAME=VALUE"),
    (("mesh", "-f", "absent.yaml"), "absent.yaml"),
    (
        ("mesh", "-f", "empty"),
        "empty: contains no .yaml, .yml, or .json file; name another",
    ),
    (("mesh", "-f", "list.yaml"), "list.yaml: expected an object, got a list"),
    (("mesh", "--injector", "broken"), "broken: injector broken does not load"),
)


@pytest.mark.parametrize(("arguments", "message"), ERRORS)
def test_errors_have_status_2(
    run: Run,
    local: Path,
    store: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(local.parent)
    Path("empty").mkdir()
    Path("list.yaml").write_text("- 1\n")
    shutil.copytree(store / "shop", store / "broken")
    (store / "broken" / "policy.yaml").write_text("policy: [\n")

    result = run("diff", *arguments, "--config", "store")

    assert result.status == 2
    assert message in result.err


def test_an_internal_error_is_no_difference(
    run: Run, local: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison, "find_changes", None)
    set_tag(local, "1.30.1")

    result = run("diff", str(local), *at_store(store))

    assert result.status == 2
    assert "TypeError" in result.err
