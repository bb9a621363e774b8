"""``fleet render``: files for a GitOps controller, with a secret only if the URL has the token."""

import shutil
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from cli.fleet.test_adopt import STACK, issue
from cli.fleet.test_enrollment import Estate, run
from cli.fleet.test_enrollment import account as account  # noqa: PLC0414  a fixture
from cli.fleet.test_enrollment import estate as estate  # noqa: PLC0414  a fixture
from cli.fleet.test_fleet_file import HEAD
from podgraft.cli import main
from podgraft.cli.certs import keys, pem
from podgraft.kube import yaml
from support.kube_schemas import RELEASES, validate
from support.pki import Authority

DOCS = Path(__file__).parents[3] / "docs"

FLEET = f"""{HEAD}spec:
  url: https://hooks.example.com
  defaults:
    injectors: [{{name: istio, namespaceSelector: a=b, validate: [v1/pods]}}]
  groups:
    own: {{credential: header}}
  clusters:
    a: {{context: a}}
    b: {{groups: [own], context: b}}
    c: {{}}
    d: {{credential: certificate}}
    e: {{injectors: []}}
"""


@pytest.fixture(autouse=True)
def fleet_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("fleet.yaml").write_text(FLEET)


def render(*words: str) -> int:
    return main(["fleet", "render", "fleet.yaml", "registrations", *words])


def find_files() -> list[str]:
    return sorted(str(each) for each in Path("registrations").rglob("*.yaml"))


def test_clusters_without_a_token_in_the_url_have_no_secret(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert render() == 0
    printed = capsys.readouterr()
    assert find_files() == [f"registrations/{name}/registration.yaml" for name in "bd"]
    assert "registrations: wrote 2 registrations" in printed.out
    assert "podgraft tokens issue --cluster c --output DIR/c" in printed.err
    text = Path(find_files()[0]).read_text()
    assert "/k/" not in text
    options = ("--url", "https://hooks.example.com", "--injector", "istio")
    assert main(["register", *options, "--namespace-selector", "a=b", "--validate", "v1/pods"]) == 0
    assert capsys.readouterr().out == text


def test_a_token_is_only_in_the_file_of_its_cluster(capsys: pytest.CaptureFixture[str]) -> None:
    token = "0123456789abcdef" * 4
    Path("tokens").mkdir()
    for name in "abcd":
        (Path("tokens") / name).write_text(f"{token}\n")
    assert render("--tokens", "tokens") == 0
    printed = capsys.readouterr()
    assert token not in printed.out + printed.err
    assert "encrypt registrations/c/registration.yaml: it contains a token" in printed.err
    texts = {each: Path(each).read_text() for each in find_files()}
    assert [name for name, text in texts.items() if token in text] == [
        "registrations/c/registration.yaml"
    ]
    assert Path("registrations/c/registration.yaml").stat().st_mode & 0o777 == 0o600


def test_files_are_replaced_with_force_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert render() == 0
    assert render() == 2
    problem = "registrations/b/registration.yaml and 1 more: already exist; use --force"
    assert problem in capsys.readouterr().err
    Path("fleet.yaml").write_text(FLEET.replace("    d: {credential: certificate}\n", ""))
    assert render("--force") == 0
    printed = capsys.readouterr().err
    assert "delete registrations/d/registration.yaml: it is out of date" in printed


def test_a_folder_below_a_file_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fleet", "render", "fleet.yaml", "fleet.yaml/registrations"]) == 2
    assert capsys.readouterr().err.startswith("error: fleet.yaml/registrations")


def test_a_file_without_a_url_needs_the_stack(capsys: pytest.CaptureFixture[str]) -> None:
    Path("fleet.yaml").write_text(FLEET.replace("  url: https://hooks.example.com\n", ""))
    assert render() == 2
    assert "/spec/url: is missing; add it, or use --config stack:NAME" in capsys.readouterr().err


def test_apply_registers_no_cluster_with_another_credential(
    estate: Estate, capsys: pytest.CaptureFixture[str]
) -> None:
    issue("a")
    path = estate.write("a", ", credential: header")
    assert run("apply", path) == 0
    assert not estate.clusters
    assert run("rotate", path, "--now") == 0
    rotate = f"podgraft tokens rotate --cluster a {' '.join(STACK)}: "
    assert rotate in capsys.readouterr().err


def test_the_page_reads_the_folders_of_the_command() -> None:
    assert render() == 0
    blocks = (DOCS / "clusters.md").read_text().split("```yaml\n")[1:]
    documents: Any = [yaml.load_document(each.partition("```")[0]) for each in blocks]
    [page] = [each for each in documents if each.get("kind") == "ApplicationSet"]
    [directory] = page["spec"]["generators"][0]["git"]["directories"]
    assert all(fnmatch(str(Path(each).parent), directory["path"]) for each in find_files())


def test_a_registrar_registers_its_cluster_with_the_token_of_a_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its containers run here: podgraft writes what kubectl applies."""
    Path("tokens").mkdir()
    Path("tokens/c").write_text("pg1-token")
    assert render("--tokens", "tokens") == 0
    expected = Path("registrations/c/registration.yaml").read_text()
    assert render("--registrar", "podgraft:1", "--force") == 0
    printed = capsys.readouterr().err
    assert "podgraft tokens issue --cluster c --output DIR/c, then put it into the key" in printed
    text = Path("registrations/c/registrar.yaml").read_text()
    assert "pg1-token" not in text
    manifests: list[Any] = [*yaml.load_all(text)]
    assert [each["kind"] for each in manifests] == [
        *("Namespace", "ServiceAccount", "ConfigMap"),
        *("ClusterRole", "ClusterRoleBinding", "CronJob"),
    ]
    for manifest in manifests:
        validate(manifest, RELEASES[-1])
    _, _, config, role, _, job = manifests
    pod = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    folder = tmp_path / "pod"
    for name, content in config["data"].items():
        (folder / "fleet").mkdir(parents=True, exist_ok=True)
        (folder / "fleet" / name).write_text(content)
    shutil.copytree("tokens", folder / "token")
    [render_, apply] = (*pod["initContainers"], *pod["containers"])
    words = [f"{folder}{each}" if each.startswith("/") else each for each in render_["args"]]
    monkeypatch.chdir("/")
    assert main(words) == 0
    [file] = [each for each in apply["args"] if each.startswith("--filename=")]
    applied = (folder / file.removeprefix("--filename=/")).read_text()
    assert applied == expected
    registered: list[Any] = [*yaml.load_all(applied)]
    names = {each["metadata"]["name"] for each in registered}
    assert role["rules"][1]["resourceNames"] == sorted(names)


def test_a_registrar_contains_no_key_of_the_file_with_the_ca() -> None:
    """A file can contain a certificate and its key; the manifests are for Git."""
    issuer = Authority("ca").issuer
    own = pem.dump_certificates([issuer.certificate])
    key = keys.encode_key(issuer.key, None)
    Path("ca.pem").write_bytes(key + own + b"password: hunter2\n")
    Path("fleet.yaml").write_text(FLEET.replace("spec:\n", "spec:\n  caBundle: ca.pem\n"))
    assert render("--registrar", "podgraft:1") == 0
    text = Path("registrations/c/registrar.yaml").read_text()
    assert "PRIVATE KEY" not in text
    assert "hunter2" not in text
    manifests: list[Any] = [*yaml.load_all(text)]
    [config] = [each for each in manifests if each["kind"] == "ConfigMap"]
    assert config["data"]["ca.pem"].encode() == own
