"""``podgraft inject``, as it is typed: files and streams in, files and streams out."""

import io
from pathlib import Path

import pytest

from podgraft import cli
from podgraft.base.jsonvalue import Object
from podgraft.kube import yaml
from support.config_folder import write_folder

BUNDLE = str(Path(__file__).parents[2] / "samples" / "istio" / "bundle")
SERVICE = "# kept\nkind: Service\napiVersion: v1\nmetadata:   {name: x}\n"
POD = "kind: Pod\napiVersion: v1\nmetadata: {name: p}\nspec: {containers: [{name: a}]}\n"
HOST = POD.replace("spec: {", "spec: {hostNetwork: true, ")
DECLINED = POD.replace("{name: p}", "{name: p, labels: {sidecar.istio.io/inject: 'false'}}")

Out = pytest.CaptureFixture[str]


def inject(path: Path, text: str, *more: str) -> int:
    """Run the command on a file that holds the text."""
    path.write_text(text)
    return cli.main(["inject", "-f", str(path), "--config", BUNDLE, *more])


def test_from_standard_input_to_standard_output(
    monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{SERVICE}---\n{POD}"))

    assert cli.main(["inject", "-f", "-", "--config", BUNDLE]) == 0
    told = capsys.readouterr()
    assert told.out.startswith(f"{SERVICE}---\nkind: Pod\napiVersion: v1\n")
    assert "istio-proxy" in told.out
    assert told.err == "injected 1 of 1 workloads\n"


@pytest.mark.parametrize("mode", [(), ("--webhook",)])
def test_a_file_is_written_with_lists_and_unknown_documents_retained(
    tmp_path: Path, capsys: Out, mode: tuple[str, ...]
) -> None:
    out = tmp_path / "out.yaml"
    items = [yaml.load(SERVICE), yaml.load(POD)]
    listed: Object = {"kind": "List", "apiVersion": "v1", "items": items}

    text = f"{SERVICE}---\n{yaml.dump(listed)}"
    assert inject(tmp_path / "in.yaml", text, "-o", str(out), *mode) == 0
    assert capsys.readouterr().out == ""
    assert out.read_text().startswith(f"{SERVICE}---\n")
    assert "istio-proxy" in out.read_text()


@pytest.mark.parametrize("text", [HOST, DECLINED])
@pytest.mark.parametrize("mode", [(), ("--webhook",)])
def test_what_is_skipped_is_reported_with_the_output(
    tmp_path: Path, capsys: Out, text: str, mode: tuple[str, ...]
) -> None:
    assert inject(tmp_path / "in.yaml", text, *mode) == 0
    told = capsys.readouterr()
    assert told.out == f"{text}---\n"
    assert "p" in told.err.splitlines()[0]
    assert told.err.splitlines()[-1] == "injected 0 of 1 workloads"


def test_istioctls_three_files_are_a_configuration(tmp_path: Path, capsys: Out) -> None:
    template = "spec: {containers: [{name: istio-proxy, image: {{ .Values.image }}}]}"
    config, values, mesh = (tmp_path / name for name in ("config", "values", "mesh"))
    config.write_text(f"policy: enabled\ntemplates:\n  sidecar: |\n    {template}\n")
    values.write_text('{"image": "mine"}')
    mesh.write_text("trustDomain: example.org\n")
    (tmp_path / "in.yaml").write_text(POD)
    files = ["--injectConfigFile", str(config), "--valuesFile", str(values)]
    files += ["--meshConfigFile", str(mesh), "--istio-release", "1.30"]

    assert cli.main(["inject", "-f", f"{tmp_path}/in.yaml", *files]) == 0
    assert "image: mine" in capsys.readouterr().out


def test_errors_state_location_and_problem(tmp_path: Path, capsys: Out) -> None:
    path = tmp_path / "in.yaml"

    assert inject(path, "a: [") == 1
    assert f"error: {path}: " in capsys.readouterr().err
    bad = "{name: p, annotations: {traffic.sidecar.istio.io/includeInboundPorts: x}}"
    assert inject(path, POD.replace("{name: p}", bad)) == 1
    assert "traffic.sidecar.istio.io~1includeInboundPorts" in capsys.readouterr().err
    assert cli.main(["inject", "-f", str(path)]) == 2
    assert "--config" in capsys.readouterr().err


def test_a_disabled_policy_is_reported(tmp_path: Path, capsys: Out) -> None:
    folder = write_folder(tmp_path / "a", "istio", "policy: disabled\n")

    assert inject(tmp_path / "in.yaml", POD, "--config", folder) == 0
    printed = capsys.readouterr()
    assert "istio-proxy" in printed.out
    assert "the policy is disabled: the webhook injects only pods that ask for it" in printed.err
    assert inject(tmp_path / "in.yaml", POD, "--config", folder, "--webhook") == 0
    assert "istio-proxy" not in capsys.readouterr().out
