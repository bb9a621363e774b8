"""Error messages name place, problem, and remedy, for the errors that operators make most."""

from pathlib import Path

import click
import pytest

from cli.test_manifest_files import all_commands
from podgraft import cli
from podgraft.cli.failure import CommandError
from podgraft.cli.policy.cloud import DeployedInjector
from podgraft.cli.policy.target import DeploymentTarget
from podgraft.cli.shared_options import NonEmptyPath
from podgraft.cli.stacks import make_client
from support.aws_account import start_account_with_bucket
from support.config_folder import write_folder

SAMPLES = Path(__file__).parents[2] / "samples"
BUNDLE = str(SAMPLES / "istio" / "bundle")
POLICY = str(SAMPLES / "istio" / "policy.yaml")
OVERLAY = """\
apiVersion: podgraft.dev/v1
kind: Overlay
metadata: {name: team}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  template: |
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fail(capfd: pytest.CaptureFixture[str], *arguments: str, status: int = 1) -> str:
    assert cli.main(arguments) == status
    return capfd.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ("inject", "-f", "absent.yaml", "--config", BUNDLE),
            "absent.yaml: not found; check --filename",
        ),
        (
            ("explain", "-f", "absent.yaml", "--config", BUNDLE),
            "absent.yaml: not found; check --filename",
        ),
        (
            ("serve", "--store", "absent", "--cert", "a", "--key", "b"),
            "absent: not found; check --store",
        ),
        (("policy", "check", "absent"), "absent/bundle: not found; check the path"),
        (("certs", "inspect", "absent.pem"), "absent.pem: not found; check CERTIFICATES\n"),
        (("certs", "bundle", "absent.pem"), "absent.pem: not found; check PEMS\n"),
        (("test", "absent"), "absent: not found; check PATH\n"),
        (
            ("--project", "absent.toml", "policy", "check"),
            "absent.toml: not found; check --project",
        ),
    ],
)
def test_a_missing_file_has_one_message(
    arguments: tuple[str, ...], expected: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    del folder
    printed = fail(capfd, *arguments)
    assert printed.startswith(f"error: {expected}")
    assert "Usage" not in printed


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", ""),
        ("push", "", "--config", "stack:a"),
        ("init", ""),
        ("certs", "ca", "--dir", ""),
        ("explain", "-f", "", "--config", "."),
        ("tokens", "issue", "--config", "", "--cluster", "a"),
        ("tokens", "issue", "--config", "store", "--cluster", "a", "--output", ""),
    ],
)
def test_an_empty_path_is_not_the_current_folder(
    arguments: tuple[str, ...], folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """It is the value of an unset variable of a script."""
    write_folder(folder, "istio", Path(POLICY).read_text())
    before = {*folder.rglob("*")}
    printed = fail(capfd, *arguments, status=2)
    assert ": is empty; " in printed
    assert {*folder.rglob("*")} == before


def test_every_path_of_the_command_line_is_checked() -> None:
    found = {
        (command.name, each.name)
        for _, command in all_commands(cli.podgraft)
        for each in command.params
        if isinstance(each.type, click.Path) and not isinstance(each.type, NonEmptyPath)
    }
    assert found == set()


@pytest.mark.parametrize("value", ["stak:podgraft-dev", "stack:", "cluster:prod"])
def test_a_misspelled_stack_is_not_a_new_folder(
    value: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    printed = fail(capfd, "tokens", "issue", "--config", value, "--cluster", "a", status=2)
    assert f"{value}: is not a folder; use FOLDER or stack:NAME" in printed
    assert not [*folder.iterdir()]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("injec",), "No such command 'injec'. Did you mean 'inject'?"),
        (("polcy", "check"), "No such command 'polcy'. Did you mean 'policy'?"),
        (("zzz",), "No such command 'zzz'.\n"),
        (("policy", "chek"), "No such command 'chek'. Did you mean 'check'?"),
        (("inject", "--webhok"), "No such option '--webhok'. Did you mean '--webhook'?"),
    ],
)
def test_a_misspelled_word_has_a_suggestion(
    arguments: tuple[str, ...], expected: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert expected in fail(capfd, *arguments, status=2)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        (
            '    a: {{ defualt "x" .Object.kind }}\n',
            'function "defualt" not defined; did you mean default?',
        ),
        ("    a: {{ prntf 1 }}\n", 'function "prntf" not defined; did you mean printf?'),
        (
            "    a: {{ qqqqqq 1 }}\n",
            'function "qqqqqq" not defined; correct line 1 of the template',
        ),
        (
            "    {{- if true }}\n    {{- range .Object.x }}\n    c: d\n    {{- end }}\n    e: f\n",
            "unexpected EOF; add {{end}}: the {{if}} of line 1 is not closed",
        ),
        (
            "    a: b\n    {{- with .a }}\n    {{- if true }}{{ else if false }}\n    {{- end }}\n",
            "unexpected EOF; add {{end}}: the {{with}} of line 2 is not closed",
        ),
        ("    a: {{ .Object. }}\n", "; correct line 1 of the template"),
    ],
)
def test_an_error_of_a_template(
    template: str, expected: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "bundle").mkdir()
    (folder / "bundle" / "overlay.yaml").write_text(OVERLAY + template)
    assert expected in fail(capfd, "policy", "check", ".")


def test_an_error_of_a_template_of_istio(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The function is one of Istio's release, and the delimiters are those of Istio."""
    injector = (Path(BUNDLE) / "injector.yaml").read_text()
    write_folder(folder, "istio", Path(POLICY).read_text())
    changed = injector.replace("excludeInboundPort $", "excludeInboundPrt $", 1)
    assert changed != injector
    (folder / "bundle" / "injector.yaml").write_text(changed)
    printed = fail(capfd, "policy", "check", ".")
    assert 'function "excludeInboundPrt" not defined; did you mean excludeInboundPort?' in printed


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("policy: on\n", "/policy: got true; use enabled or disabled, without quotes"),
        ("policy: off\n", "/policy: got false; use enabled or disabled, without quotes"),
        ("polcy: enabled\n", "/polcy: unknown key; did you mean policy?"),
        (
            "neverInjectSelector:\n- matchExpressions: [{key: a, operator: Inn, values: [b]}]\n",
            '/operator: got "Inn"; the selector selects nothing; use In, NotIn, Exists',
        ),
    ],
)
def test_an_error_of_a_policy(
    policy: str, expected: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    printed = fail(capfd, "policy", "check", write_folder(folder, "istio", policy))
    assert expected in printed
    assert printed.count("error: ") == 1
    assert "docs/schemas" not in printed


def test_an_unknown_key_of_the_project_file(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "podgraft.toml").write_text('confi = "x"\n')
    printed = fail(capfd, "policy", "check")
    assert "podgraft.toml: unknown key confi; did you mean config?" in printed


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("{containers: foo}", "object /spec/containers: expected a list, got a string"),
        (
            "{containers: [{name: [a]}]}",
            "object /spec/containers/0/name: expected a string, got a list",
        ),
        ("{hostNetwork: 'yes'}", "object /spec/hostNetwork: expected true or false, got a string"),
        ("{priority: 1.5}", "object /spec/priority: expected an integer, got a number"),
        ("{securityContext: 3}", "object /spec/securityContext: expected a map, got a number"),
    ],
)
def test_a_field_of_a_pod_with_another_type(
    spec: str, expected: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec: {spec}\n"
    (folder / "pod.yaml").write_text(text)
    command = ("inject", "-f", "pod.yaml", "--config", BUNDLE)
    assert expected in fail(capfd, *command)
    assert expected in fail(capfd, *command, "--webhook")


def test_a_folder_of_injectors_is_not_an_injector(capfd: pytest.CaptureFixture[str]) -> None:
    printed = fail(capfd, "check", str(SAMPLES))
    assert printed.startswith(f"error: {SAMPLES}: contains no folder bundle; did you mean ")
    assert f"{SAMPLES / 'allow'} or " in printed


@pytest.mark.parametrize("part", ["bundle", "policy.yaml"])
def test_a_part_of_an_injector_is_not_an_injector(
    part: str, capfd: pytest.CaptureFixture[str]
) -> None:
    hello = SAMPLES / "hello"
    printed = fail(capfd, "check", str(hello / part))
    assert printed == (f"error: {hello / part}: is a part of an injector; did you mean {hello}?\n")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("has(", "1:5: Syntax error: the expression ends too early; write a value"),
        ("a ++ b", "1:4: Syntax error: unexpected '+'; write a value"),
        ("has(object.metadata", "1:20: Syntax error: missing ')' at '<EOF>'"),
    ],
)
def test_the_syntax_of_a_match_condition(
    expression: str, expected: str, capfd: pytest.CaptureFixture[str]
) -> None:
    command = (
        "register",
        "--url",
        "https://webhook.example.com",
        "--namespace-selector",
        "inject=enabled",
    )
    printed = fail(capfd, *command, "--match-condition", f"name={expression}")
    assert expected in printed
    assert "expecting {" not in printed


def make_certificates(folder: str, host: str) -> None:
    made = ("--dir", folder, "--key-type", "p-256")
    assert cli.main(["certs", "ca", *made]) == 0
    assert cli.main(["certs", "server", host, *made]) == 0


def test_certificates_that_do_not_fit(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    make_certificates("first", "webhook.example.com")
    make_certificates("second", "127.0.0.1")
    capfd.readouterr()
    files = ("--ca-bundle", "first/ca.pem", "--server-cert", "first/server.pem")
    command = (
        "register",
        "--url",
        "https://other.example.com",
        "--namespace-selector",
        "inject=enabled",
    )
    printed = fail(capfd, *command, *files)
    renew = "certs renew server --dir first --host other.example.com --force"
    assert printed.endswith(f"; renew the server certificate: podgraft {renew}\n")
    assert cli.main(renew.split()) == 0
    assert cli.main([*command, *files]) == 0
    capfd.readouterr()

    (folder / "store").mkdir()
    (folder / "text").write_text("text")
    serve = ("serve", "--store", "store", "--check")
    printed = fail(capfd, *serve, "--cert", "first/server.pem", "--key", "second/server.key")
    assert printed == (
        "error: second/server.key: belongs to another certificate than first/server.pem; use the "
        "key that was created with it\n"
    )
    printed = fail(capfd, *serve, "--cert", "text", "--key", "second/server.key")
    assert printed.endswith("; use PEM files, as podgraft certs server writes them\n")
    printed = fail(capfd, "register", "--url", "https://a.example.com", "--ca-bundle", "text")
    assert printed == (
        "error: text: contains no PEM certificate; use a file as podgraft certs writes it\n"
    )


def test_a_bucket_that_does_not_exist() -> None:
    with start_account_with_bucket("bundles-of-messages"):
        target = DeploymentTarget(
            injector="istio",
            bucket="absent-bucket",
            bundle_prefix="bundles/",
            parameter_prefix="/podgraft-dev",
        )
        with pytest.raises(CommandError, match=r"absent-bucket: NoSuchBucket: .*; use --config"):
            DeployedInjector(target, make_client("ssm"), make_client("s3")).list_objects("0" * 64)
