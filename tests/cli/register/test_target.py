"""``podgraft register`` finds the endpoint in a stack, in the project file, or in its options."""

from collections.abc import Generator
from pathlib import Path

import pytest

from podgraft.cli import main
from podgraft.kube import yaml
from support.aws_account import start_account_with_bucket

NAMESPACES = ("--namespace-selector", "a=b")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def account() -> Generator[None]:
    with start_account_with_bucket("bundles-of-register"):
        yield


def register(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The URL of the first webhook, or the error."""
    status = main(["register", *NAMESPACES, *arguments])
    captured = capsys.readouterr()
    if status:
        return captured.err
    manifest = next(iter(yaml.load_all(captured.out)))
    assert isinstance(manifest, dict)
    webhooks = manifest["webhooks"]
    assert isinstance(webhooks, list)
    (webhook, *_) = webhooks
    assert isinstance(webhook, dict)
    config = webhook["clientConfig"]
    assert isinstance(config, dict)
    return str(config["url"])


@pytest.mark.usefixtures("account")
def test_the_endpoint_is_that_of_the_stack(capsys: pytest.CaptureFixture[str]) -> None:
    stack = ("--config", "stack:podgraft-dev", "--injector", "hello")
    assert register(capsys, *stack) == "https://webhook.example.com/hello/inject"
    assert "stack nothing:" in register(capsys, "--config", "stack:nothing")


@pytest.mark.usefixtures("account")
def test_the_project_file_names_stack_and_injector(capsys: pytest.CaptureFixture[str]) -> None:
    Path("podgraft.toml").write_text('config = "stack:podgraft-dev"\ninjector = "hello"\n')
    assert register(capsys) == "https://webhook.example.com/hello/inject"
    # Options of the command line replace the defaults.
    assert register(capsys, "--url", "https://a.example") == "https://a.example/hello/inject"
    assert register(capsys, "--url", "https://a.example/b") == "https://a.example/b/inject"
    assert register(capsys, "--injector", "c") == "https://webhook.example.com/c/inject"
    both = ("--url", "https://a.example", "--config", "stack:podgraft-dev")
    assert "give one of --config, --url, and --service" in register(capsys, *both)


def test_a_label_of_pods_is_a_choice(capsys: pytest.CaptureFixture[str]) -> None:
    """Pods without it do not depend on the endpoint; the cluster's namespaces are left out."""
    selector = ("--url", "https://a.example", "--object-selector", "podgraft=hello")
    assert main(["register", *selector]) == 0
    captured = capsys.readouterr()
    assert "key: podgraft" in captured.out
    assert "kube-system" in captured.out
    assert "warning" not in captured.err
    assert main(["register", *selector, "--all-namespaces"]) == 0
    assert "warning" not in capsys.readouterr().err
