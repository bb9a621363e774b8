"""explain and inject report what Istio does with pods in ambient mode, gateways, and waypoints."""

from pathlib import Path

import pytest

from podgraft import cli

SAMPLE = Path(__file__).parents[3] / "samples" / "istio"
CONFIGURATION = ("--config", str(SAMPLE))
POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: web, namespace: shop, labels: {{{labels}}}, annotations: {{{annotations}}}}}
spec: {{containers: [{{name: web, image: web, {container}}}]}}
"""
AMBIENT = "istio.io/dataplane-mode=ambient"
IS_OUTSIDE = "a pod with a sidecar is not part of the ambient mesh"
NEEDS_NONE = "ztunnel serves the pod, which needs no sidecar"


def explain(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    *options: str,
    labels: str = "",
    annotations: str = "",
) -> str:
    pod = tmp_path / "pod.yaml"
    pod.write_text(POD.format(labels=labels, annotations=annotations, container="command: [a]"))
    assert cli.main(["explain", "-f", str(pod), *(options or CONFIGURATION)]) in {0, 1, 3, 4}
    return capfd.readouterr().out


@pytest.mark.parametrize(
    ("labels", "namespace", "expected"),
    [
        ("", AMBIENT, IS_OUTSIDE),
        ("istio.io/dataplane-mode: ambient", "team=x", f"the pod has the label {AMBIENT}, but"),
        ('sidecar.istio.io/inject: "false"', AMBIENT, NEEDS_NONE),
        ("istio.io/dataplane-mode: none", AMBIENT, ""),  # the pod's label has precedence
        ("", "istio-injection=enabled", ""),
        ("", "istio.io/dataplane-mode=none", ""),
    ],
)
def test_a_pod_of_an_ambient_namespace(
    labels: str, namespace: str, expected: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    options = (*CONFIGURATION, "--namespace-labels", namespace)
    printed = explain(tmp_path, capfd, *options, labels=labels)

    assert (expected in printed) if expected else "warning:" not in printed


@pytest.mark.parametrize(
    ("labels", "is_matched"),
    [("app: gw", False), ('sidecar.istio.io/inject: "true"', True)],
)
def test_a_gateway_without_a_label(
    labels: str, is_matched: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The usual namespace istio-ingress has no label, so the pod needs one."""
    command = ("register", "--url", "https://webhook.example.com", "--injector", "istio")
    assert cli.main([*command, "--revision", "default"]) == 0
    registration = tmp_path / "webhook.yaml"
    registration.write_text(capfd.readouterr().out)
    options = (*CONFIGURATION, "--webhook-config", str(registration))
    printed = explain(
        tmp_path, capfd, *options, labels=labels, annotations="inject.istio.io/templates: gateway"
    )

    assert ("the pod is a gateway, and no webhook matches it" in printed) is not is_matched


def test_a_template_of_the_gateway_controller(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(
        "policy: enabled\ntemplates:\n  waypoint: |\n    a: '{{ .ServiceAccount }}'\n"
    )
    values = tmp_path / "values.json"
    values.write_text("{}")
    files = ("--injectConfigFile", str(config), "--valuesFile", str(values))
    options = (*files, "--istio-release", "1.30.3")
    hint = (
        'istiod renders the template "waypoint" itself, for Gateways of the Gateway API; create a'
    )
    printed = explain(tmp_path, capfd, *options, annotations="inject.istio.io/templates: waypoint")
    assert f"warning: {hint}" in printed

    assert cli.main(["inject", "-f", str(tmp_path / "pod.yaml"), *options]) == 1
    assert f"; {hint}" in capfd.readouterr().err


@pytest.mark.parametrize("registered", [False, True])
def test_a_pod_that_only_another_route_changes(
    registered: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The overlay of hello matches pods with the host's network, too."""
    target = ("register", "--url", "https://a.example", "--all-namespaces")
    assert cli.main([*target, "--mutate", "v1/pods"]) == 0
    (tmp_path / "webhook.yaml").write_text(capfd.readouterr().out)
    pod = tmp_path / "pod.yaml"
    pod.write_text(
        "{apiVersion: v1, kind: Pod, metadata: {name: a}, "
        "spec: {hostNetwork: true, containers: [{name: a, image: a}]}}"
    )
    options = ("--webhook-config", str(tmp_path / "webhook.yaml")) if registered else ()
    hello = SAMPLE.with_name("hello")
    assert cli.main(["explain", "-f", str(pod), "--config", str(hello), *options]) == 0
    hint = "warning: /inject skips the pod, and only /mutate changes it"
    assert (hint in capfd.readouterr().out) is not registered
