"""The samples for native sidecars: both modes of the Vault agent, and a sidecar that is broken."""

from pathlib import Path

import pytest

from podgraft import cli
from podgraft.base.jsonvalue import Object, names_at, object_at
from podgraft.kube import yaml
from support import kube_schemas

from .test_samples import SAMPLES

Out = pytest.CaptureFixture[str]
API = SAMPLES / "vault-agent" / "input.api.yaml"


def write_vault(folder: Path, native: str) -> str:
    """The bundle with one value changed."""
    text = (SAMPLES / "vault-agent" / "bundle" / "overlay.yaml").read_text()
    (folder / "bundle").mkdir()
    (folder / "bundle" / "overlay.yaml").write_text(
        text.replace("native: true", f"native: {native}")
    )
    return str(folder / "bundle")


def apply_bundle(path: Path, bundle: str, capsys: Out) -> Object:
    assert cli.main(["explain", "-o", "yaml", "-f", str(path), "--config", bundle]) in {0, 3}
    pod = next(each for each in yaml.load_all(capsys.readouterr().out) if each)
    assert isinstance(pod, dict)
    return object_at(pod, "spec")


@pytest.mark.parametrize(
    ("native", "init_containers", "containers"),
    [
        ("true", ["secrets-init", "secrets-renew"], ["api"]),
        ("false", ["secrets-init"], ["secrets-renew", "api"]),
    ],
)
def test_one_value_selects_the_mode_of_the_vault_agent(
    native: str,
    init_containers: list[str],
    containers: list[str],
    tmp_path: Path,
    capsys: Out,
) -> None:
    bundle = write_vault(tmp_path, native)
    spec = apply_bundle(API, bundle, capsys)

    assert names_at(spec, "initContainers") == init_containers
    assert names_at(spec, "containers") == containers
    assert cli.main(["policy", "check", str(tmp_path), "--pss", "baseline"]) == 0


def test_a_sidecar_that_another_webhook_broke_is_named_denied_and_repaired(
    tmp_path: Path, capsys: Out
) -> None:
    bundle = str(SAMPLES / "vault-agent" / "bundle")
    guard = str(SAMPLES / "native-sidecar-guard" / "bundle")
    path = tmp_path / "pod.yaml"
    assert cli.main(["explain", "-o", "yaml", "-f", str(API), "--config", bundle]) == 0
    injected = capsys.readouterr().out
    path.write_text(injected.replace("restartPolicy: Always", "tty: false"))

    assert cli.main(["explain", "-f", str(path), "--config", bundle]) == 0
    assert "init container secrets-renew has no restartPolicy: Always" in capsys.readouterr().out
    assert cli.main(["explain", "-f", str(path), "--config", guard]) == 4
    assert "init container secrets-renew has no restartPolicy" in capsys.readouterr().out
    spec = apply_bundle(path, bundle, capsys)
    assert "restartPolicy: Always" in yaml.dump(spec)  # as with reinvocationPolicy: IfNeeded
    path.write_text(injected)
    assert cli.main(["explain", "-f", str(path), "--config", bundle]) == 3
    assert "has no restartPolicy" not in capsys.readouterr().out


@pytest.mark.parametrize("release", kube_schemas.RELEASES)
def test_kubernetes_accepts_the_guard(release: str) -> None:
    """The documents are those of ``kubectl apply``; the kinds are v1 since Kubernetes 1.30."""
    text = (SAMPLES / "native-sidecar-guard" / "bundle" / "guard.yaml").read_text()
    for document in yaml.load_all(text):
        assert isinstance(document, dict)
        if release >= "1.30" and document["kind"] != "ConfigMap":
            kube_schemas.validate(document, release)


# The strictest level of the Pod Security Standards for which a bundle adds no violation.
LEVELS = {
    "allow": "restricted",
    "datadog-env": "",
    "eks-pod-identity": "restricted",
    "hello": "baseline",
    "image-mirror": "restricted",
    "linkerd": "",
    "logging": "baseline",
    "mutating-policy": "restricted",
    "native-sidecar-guard": "restricted",
    "opentelemetry": "restricted",
    "opentelemetry-agents": "restricted",
    "require-limits": "restricted",
    "several-sidecars": "restricted",
    "sidecar-resources": "restricted",
    "vault-agent": "baseline",
    "istio": "",
    "appmesh": "",
}


@pytest.mark.parametrize("sample", LEVELS)
def test_the_level_of_pod_security_of_each_sample(sample: str) -> None:
    line = ["policy", "check", str(SAMPLES / sample), "--pss"]
    held = [level for level in ("baseline", "restricted") if cli.main([*line, level]) == 0]

    assert (held[-1] if held else "") == LEVELS[sample]
    assert {path.name for path in SAMPLES.iterdir() if path.is_dir()} == LEVELS.keys()
