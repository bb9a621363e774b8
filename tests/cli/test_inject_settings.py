"""``podgraft inject`` with istioctl's files: what each may be, and what is never silent."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from podgraft import cli
from podgraft.base.jsonvalue import JSON, Object
from podgraft.kube import yaml
from support.config_folder import write_folder

SAMPLES = Path(__file__).parents[2] / "samples"

DEPLOYMENT = """apiVersion: extensions/v1beta1
kind: Deployment
metadata: {name: web}
spec:
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: app:1}]}
"""
SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n"
ROLLOUT = DEPLOYMENT.replace("extensions/v1beta1", "argoproj.io/v1alpha1").replace(
    "Deployment", "Rollout"
)
OTHER_KIND = "is of a kind that Istio does not inject into files"
HOST = DEPLOYMENT.replace("spec: {", "spec: {hostNetwork: true, ")

# The key config by release, in the form of each.
CONFIG_1_0 = """policy: enabled
template: |-
  containers:
  - name: istio-proxy
    image: of-1-0
    args: ["[[ index .ObjectMeta.Labels `app` ]]"]
"""
CONFIG_1_8 = """policy: enabled
template: |-
  containers:
  - {name: istio-proxy, image: "of-1-8:{{ .Values.global.hub }}"}
"""
CONFIG_1_30 = """policy: enabled
template: "{{ Template_Version_And_Istio_Version_Mismatched_Check_Installation }}"
templates:
  sidecar: |
    spec:
      containers:
      - name: istio-proxy
        image: "{{ .Values.global.hub }}/proxy:of-1-30"
        securityContext: {allowPrivilegeEscalation: {{ .Values.global.proxy.privileged }}}
"""
VALUES = '{"global": {"hub": "hub.example.com", "tag": "latest", "proxy": {"privileged": false}}}'
MESH = "trustDomain: example.org\n"


def config_map(name: str, **data: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "istio-system"},
        "data": {**data},
    }


INJECTOR = config_map("istio-sidecar-injector", config=CONFIG_1_30, values=VALUES)
ISTIO = config_map("istio", mesh=MESH, meshNetworks="networks: {}")
BOTH: Object = {"apiVersion": "v1", "kind": "List", "items": [INJECTOR, ISTIO]}

# Writes files, runs inject with them: exit status, standard output, standard error.
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)

    def ran(text: str, *options: str, **files: str | Object) -> tuple[int, str, str]:
        (tmp_path / "in.yaml").write_text(text)
        names = {
            "config": "--injectConfigFile",
            "values": "--valuesFile",
            "mesh": "--meshConfigFile",
        }
        command = ["inject", "-f", "in.yaml", *options]
        for key, content in files.items():
            (tmp_path / key).write_text(content if isinstance(content, str) else yaml.dump(content))
            command += [names[key], key]
        status = cli.main(command)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return ran


@dataclass(frozen=True, slots=True)
class Case:
    """Files, and what the injected Deployment has."""

    name: str
    files: dict[str, str | Object]
    image: str
    options: tuple[str, ...] = ()


INJECTED = (
    Case("1.0, bare text, no release", {"config": CONFIG_1_0, "mesh": MESH}, "of-1-0"),
    Case(
        "1.0, ConfigMaps",
        {"config": config_map("istio-sidecar-injector", config=CONFIG_1_0), "mesh": ISTIO},
        "of-1-0",
    ),
    Case(
        "1.0, ConfigMap, with the release",
        {"config": config_map("istio-sidecar-injector", config=CONFIG_1_0)},
        "of-1-0",
        ("--istio-release", "1.0"),
    ),
    Case(
        "1.8, bare text, no release",
        {"config": CONFIG_1_8, "values": VALUES},
        "of-1-8:hub.example.com",
    ),
    Case(
        "1.30, bare text",
        {"config": CONFIG_1_30, "values": VALUES},
        "hub.example.com/proxy:of-1-30",
    ),
    Case("1.30, values of the ConfigMap", {"config": INJECTOR}, "hub.example.com/proxy:of-1-30"),
    Case(
        "1.30, values of a file before those of the ConfigMap",
        {"config": INJECTOR, "values": VALUES.replace("hub.", "other.")},
        "other.example.com/proxy:of-1-30",
    ),
    Case(
        "1.30, values file that is a ConfigMap",
        {"config": CONFIG_1_30, "values": INJECTOR},
        "hub.example.com/proxy:of-1-30",
    ),
    Case("1.30, both ConfigMaps in each file", {"config": BOTH, "mesh": BOTH}, "of-1-30"),
    Case("1.30, both ConfigMaps in one file", {"config": BOTH}, "of-1-30"),
)


@pytest.mark.parametrize("case", INJECTED, ids=lambda case: case.name)
def test_settings_are_taken_as_they_come(case: Case, run: Run) -> None:
    """The Deployment is of a group that no newer release serves: its kind is what counts."""
    status, out, err = run(DEPLOYMENT, *case.options, **case.files)
    assert (status, err) == (0, "injected 1 of 1 workloads\n")
    assert case.image in out
    assert "sidecar.istio.io/status" in out


WRONG: tuple[tuple[dict[str, str | Object], tuple[str, ...], str], ...] = (
    (
        {"config": ISTIO},
        (),
        (
            "config: expected ConfigMap istio-sidecar-injector, or the text of its key config, "
            "got ConfigMap/istio with mesh, meshNetworks; correct --injectConfigFile"
        ),
    ),
    (
        {"config": INJECTOR, "mesh": INJECTOR},
        (),
        (
            "mesh: expected ConfigMap istio, or the text of its key mesh, "
            "got ConfigMap/istio-sidecar-injector with config, values; correct --meshConfigFile"
        ),
    ),
    (
        {"config": yaml.dump({"apiVersion": "v1", "kind": "Pod"})},
        (),
        (
            "config: expected ConfigMap istio-sidecar-injector, or the text of its key config, "
            "got kind Pod; correct --injectConfigFile"
        ),
    ),
    (
        {"config": {"kind": "List", "apiVersion": "v1", "items": [INJECTOR, INJECTOR]}},
        (),
        "config: several objects have key config: ",
    ),
    (
        {"config": {**INJECTOR, "data": {"config": {"policy": "enabled"}}}},
        (),
        "/data/config: expected a string, got a mapping; put it under a |",
    ),
    (
        {"config": VALUES},
        (),
        (
            "config: contains no template: expected key templates (Istio 1.9 and later) or "
            "template (Istio 1.8 and earlier), got keys global; name ConfigMap istio-"
        ),
    ),
    (
        {"config": CONFIG_1_30},
        (),
        (
            "--valuesFile: is missing: the templates in config read .Values; name a file with key "
            "values of ConfigMap istio-sidecar-injector"
        ),
    ),
    (
        {"config": config_map("istio-sidecar-injector", config=CONFIG_1_30)},
        (),
        "--valuesFile: is missing",
    ),
    (
        {"config": CONFIG_1_30, "values": VALUES},
        ("--istio-release", "1.8"),
        (
            "/data/config/template: is missing, so podgraft cannot inject any pod; Istio 1.8 and "
            'earlier read it; set istioRelease in the policy (or --istio-release) to "1.9"'
        ),
    ),
    (
        {"config": CONFIG_1_8, "values": VALUES.replace("latest", "1.30.3")},
        (),
        (
            "config: key template is of Istio 1.8 or earlier, and Istio 1.30.3 does not read it; "
            "set --istio-release (istioRelease in the policy) to 1.8 or earlier"
        ),
    ),
    (
        {"config": "policy: enabled\ntemplate: 'volumes: []'\n"},
        (),
        'Deployment "web": the templates (template) add nothing as Istio 1.8.6 renders them',
    ),
)


@pytest.mark.parametrize(("files", "options", "words"), WRONG)
def test_invalid_settings_are_an_error_with_its_remedy(
    files: dict[str, str | Object], options: tuple[str, ...], words: str, run: Run
) -> None:
    """Never a stream that looks injected: nothing is printed at all."""
    status, out, err = run(DEPLOYMENT, *options, **files)
    assert (status, out) == (1, "")
    assert words in err


def test_an_unknown_template_of_a_pod_is_reported_with_the_known_ones(run: Run) -> None:
    pod = DEPLOYMENT.replace(
        "labels: {app: web}", "annotations: {inject.istio.io/templates: gateway}"
    )
    status, _, err = run(pod, config=INJECTOR)
    assert status == 1
    assert 'requested template "gateway" not found; have sidecar' in err


def test_each_workload_is_counted_and_each_that_is_skipped_is_named(run: Run) -> None:
    text = f"{SERVICE}---\n{DEPLOYMENT}---\n{HOST}---\n{ROLLOUT}"
    status, _, err = run(text, config=INJECTOR)
    assert status == 0
    assert err.splitlines() == [
        '===> Skipping injection because Deployment "web" has host networking enabled',
        f'===> Skipping injection because Rollout "web" {OTHER_KIND}',
        "injected 1 of 3 workloads",
    ]


def test_a_folder_of_several_injectors_is_one_line(run: Run) -> None:
    status, _, err = run(DEPLOYMENT, "--config", str(SAMPLES))
    assert status == 1
    assert err.startswith(f"error: {SAMPLES}: has several injectors; did you mean {SAMPLES}/allow")
    assert len(err.splitlines()) == 1


EXPLAIN = "run podgraft explain"
WHAT = "what the webhook does"
OVERLAYS = "the bundle's overlays are applied"
OTHERS = "use podgraft explain -o yaml for other objects"
RULES = "the bundle's rules are not evaluated"


def bundle_of(sample: str) -> tuple[str, str]:
    return "--config", str(SAMPLES / sample / "bundle")


def test_a_bundle_of_overlays_states_what_was_not_done(run: Run) -> None:
    refused = (SAMPLES / "allow" / "input.refused.yaml").read_text()
    status, out, err = run(refused, *bundle_of("allow"), "--webhook")
    assert (status, out) == (0, f"{refused}---\n")
    assert err.splitlines() == [
        f"Deployment/batch: not injected: --webhook injects Pods only; {EXPLAIN} to see {WHAT}",
        f"{OVERLAYS} to Pods only, and not by /mutate; {OTHERS}",
        f"{RULES}: inject does not call /validate; use podgraft explain",
        "injected 0 of 1 workloads",
    ]


def test_a_bundle_of_overlays_alone_is_refused_without_webhook(run: Run) -> None:
    status, out, err = run(DEPLOYMENT, *bundle_of("logging"))
    assert (status, out) == (1, "")
    assert "contains no Istio configuration" in err
    assert "use --webhook to inject Pods, or podgraft explain -o yaml" in err


def test_overlays_with_istio_are_reported(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "bundle"
    folder.mkdir()
    for sample in ("istio", "datadog-env"):
        for path in (SAMPLES / sample / "bundle").glob("*.yaml"):
            (folder / path.name).write_text(path.read_text())
    status, _, err = run(DEPLOYMENT, "--config", str(folder))
    assert status == 0
    assert err.startswith("the bundle's overlays and meshes are not applied: ")


VARIABLES = ("--istio-cluster-id", "c1", "--network", "n1", "--env", "ROOT=/a/b")


@pytest.mark.parametrize("mode", [(), ("--webhook",)])
def test_the_variables_of_the_url_reach_the_proxy(mode: tuple[str, ...], run: Run) -> None:
    text = DEPLOYMENT if not mode else (SAMPLES / "istio" / "input.web.yaml").read_text()
    status, out, _ = run(text, *bundle_of("istio"), *VARIABLES, *mode)
    assert status == 0
    (document,) = (each for each in yaml.load_all(out) if each)
    env = {each["name"]: each.get("value") for each in proxy(document)}
    assert env["ISTIO_META_CLUSTER_ID"] == "c1"
    assert env["ISTIO_META_NETWORK"] == "n1"
    assert env["ROOT"] == "/a/b"


def proxy(document: JSON) -> list[dict[str, JSON]]:
    """The environment of the proxy, wherever it is."""
    found: list[dict[str, JSON]] = []

    def visit(value: JSON) -> None:
        match value:
            case {"name": "istio-proxy", "env": list(env)}:
                found.extend(each for each in env if isinstance(each, dict))
            case dict():
                [visit(each) for each in value.values()]
            case list():
                [visit(each) for each in value]
            case _:
                pass

    visit(document)
    return found


def test_variables_without_effect_are_reported(run: Run) -> None:
    _, _, err = run(DEPLOYMENT, "--network", "n1", config=CONFIG_1_0)
    assert "--network: no effect: Istio 1.0.9 reads no variables from the URL" in err
    status, _, err = run(DEPLOYMENT, *bundle_of("istio"), "--env", "1A=b")
    assert (status, "--env: got the name '1A'; use NAME=VALUE" in err) == (2, True)
    status, _, err = run(DEPLOYMENT, *bundle_of("istio"), "--env", "secret")
    assert (status, "a value has no name" in err, "secret" in err) == (2, True, False)


def test_the_overrides_of_a_cluster_are_used(run: Run, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "a", "istio", "clusters: {staging: {policy: disabled}}\n")
    pod = (SAMPLES / "istio" / "input.web.yaml").read_text()
    options = ("--config", folder, "--webhook", "--cluster", "staging")
    _, _, err = run(pod, *options)
    assert err.splitlines()[-1] == "injected 0 of 1 workloads"
