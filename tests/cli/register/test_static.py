"""Static manifests, for kube-apiserver 1.37 and later; tests/e2e/kube loads them with its code."""

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import support.kube_schemas
from podgraft.base.jsonvalue import Object
from podgraft.cli import main
from podgraft.cli.failure import CommandError
from podgraft.cli.register import static
from podgraft.kube import yaml

Run = Callable[..., int]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run podgraft register with a token in a header."""
    monkeypatch.chdir(tmp_path)
    Path("token").write_text("t0k3n\n")

    def _run(*arguments: str | Path) -> int:
        control_plane = ("--control-plane", "control-plane", "--token-file", "token", "--force")
        url = ("--url", "https://webhook.example.com", "--namespace-selector", "inject=enabled")
        return main(["register", *url, *control_plane, *map(str, arguments)])

    return _run


def _documents(file: Path) -> list[Any]:
    return list(yaml.load_all(file.read_text()))


def test_each_plugin_has_a_folder_with_its_manifests(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "static"
    mutate = ("--mutate", "apps/v1/deployments", "--validate", "apps/v1/deployments")
    assert run("--static", folder, *mutate, "--sidecar-check", "--failure-policy", "Ignore") == 0

    files = sorted(str(file.relative_to(folder)) for file in folder.rglob("*.yaml"))
    assert files == [
        "mutating-webhooks/podgraft-default.yaml",
        "validating-policies/podgraft-default.yaml",
        "validating-webhooks/podgraft-default.yaml",
    ]
    for name in files:
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o644
        assert "t0k3n" not in (folder / name).read_text()
        for document in _documents(folder / name):
            support.kube_schemas.validate(document, "1.37")
            assert document["metadata"]["name"].endswith(".static.k8s.io")
    policy, binding = _documents(folder / "validating-policies/podgraft-default.yaml")
    assert binding["spec"]["policyName"] == policy["metadata"]["name"]


def test_the_admission_configuration_names_the_folders(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "static"
    assert run("--static", folder) == 0

    (configuration,) = _documents(Path("control-plane/admission-configuration.yaml"))
    found = {
        plugin["name"]: plugin["configuration"]["staticManifestsDir"]
        for plugin in configuration["plugins"]
    }
    assert found == {
        "MutatingAdmissionWebhook": str(folder / "mutating-webhooks"),
        "ValidatingAdmissionWebhook": str(folder / "validating-webhooks"),
        "ValidatingAdmissionPolicy": str(folder / "validating-policies"),
    }
    assert all(Path(path).is_dir() for path in found.values())  # else kube-apiserver does not start


def test_nothing_is_printed_for_kubectl(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--static", tmp_path / "static") == 0

    captured = capsys.readouterr()
    assert captured.out == ""
    assert "kubectl apply" not in captured.err
    assert "remove its file on every control plane node" in captured.err


def test_namespaces_of_the_cluster_itself_are_excluded(run: Run, tmp_path: Path) -> None:
    """With Fail, nobody could repair a cluster whose system pods need the webhook."""
    assert run("--static", tmp_path / "static", "--failure-policy", "Fail") == 0

    (manifest,) = _documents(tmp_path / "static/mutating-webhooks/podgraft-default.yaml")
    for webhook in manifest["webhooks"]:
        _, excluded = webhook["namespaceSelector"]["matchExpressions"]
        assert excluded["operator"] == "NotIn"
        assert {"kube-system", "kube-node-lease"} <= set(excluded["values"])


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("--static", "static"), "--static static: kube-apiserver accepts absolute paths only"),
    ],
)
def test_errors(
    run: Run, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], error: str
) -> None:
    assert run(*arguments) == 1
    assert error in capsys.readouterr().err
    assert not Path("static").exists()


def test_static_manifests_need_an_admission_configuration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "static"
    url = ("--url", "https://webhook.example.com", "--namespace-selector", "inject=enabled")
    assert main(["register", *url, "--static", str(folder)]) == 1
    assert "--static needs --control-plane" in capsys.readouterr().err
    assert not folder.exists()


def test_a_duplicate_name_in_the_folder_is_an_error(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "static"
    assert run("--static", folder) == 0
    file = folder / "mutating-webhooks/podgraft-default.yaml"
    (manifest,) = _documents(file)
    other = file.with_name("other.json")
    other.write_text(yaml.dump({"apiVersion": "v1", "kind": "List", "items": [manifest]}))
    before = file.read_bytes()

    assert run("--static", folder, "--timeout", "5") == 1

    assert f"{other}: also contains MutatingWebhookConfiguration" in capsys.readouterr().err
    assert file.read_bytes() == before


def test_a_file_that_is_not_yaml_is_an_error(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "static"
    (folder / "mutating-webhooks").mkdir(parents=True)
    broken = folder / "mutating-webhooks/broken.yaml"
    broken.write_text("a: [")

    assert run("--static", folder) == 1
    assert f"{broken}: " in capsys.readouterr().err


def test_two_injectors_share_a_folder(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "static"
    assert run("--static", folder) == 0
    assert run("--static", folder, "--injector", "logging") == 0
    names = [file.name for file in sorted((folder / "mutating-webhooks").iterdir())]
    assert names == ["podgraft-default.yaml", "podgraft-logging.yaml"]


_SERVICE: Object = {"name": "inject", "clientConfig": {"service": {"name": "a", "namespace": "b"}}}


@pytest.mark.parametrize(
    ("manifest", "error"),
    [
        (
            {"kind": "MutatingWebhookConfiguration", "webhooks": [_SERVICE]},
            "needs clientConfig.url",
        ),
        ({"kind": "ValidatingAdmissionPolicy", "spec": {"paramKind": {}}}, "has no paramKind"),
        ({"kind": "ValidatingAdmissionPolicyBinding", "spec": {"paramRef": {}}}, "has no paramRef"),
    ],
)
def test_manifests_that_stop_the_api_server_are_errors(
    manifest: Object, error: str, tmp_path: Path
) -> None:
    named: Object = {"metadata": {"name": "podgraft-default"}, **manifest}
    with pytest.raises(CommandError, match=error):
        static.make_files(static.parse_folder(tmp_path), [named], "podgraft-default")
