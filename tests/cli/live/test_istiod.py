"""The inputs of istiod that a policy sets."""

from typing import Any

import pytest

from podgraft.cli.live import istiod
from podgraft.cli.live.istiod import IstiodEnvironment


def deployment(*env: Any, image: str = "docker.io/istio/pilot:1.30.3", **container: Any) -> Any:
    discovery = {"name": "discovery", "image": image, "env": [*env], **container}
    containers = [{"name": "other", "env": [{"name": "PLATFORM", "value": "no"}]}, discovery]
    return {"spec": {"template": {"spec": {"containers": containers}}}}


def variable(name: str, value: str) -> Any:
    return {"name": name, "value": value}


FEATURES: Any = (
    ("nothing", {}, {}),
    ("a platform", {"PLATFORM": "openshift"}, {"platform": "openshift"}),
    ("an empty value", {"PLATFORM": ""}, {}),
    ("a policy", {"COMPLIANCE_POLICY": "fips-140-3"}, {"compliancePolicy": "fips-140-3"}),
    ("Go's true", {"REWRITE_TCP_PROBES": "T"}, {"rewriteTCPProbes": True}),
    ("false", {"ENABLE_LEGACY_FSGROUP_INJECTION": "no"}, {"legacyFSGroupInjection": False}),
    ("of a template", {"LOG": "debug", "OTHER": "x"}, {"env": {"LOG": "debug"}}),
)


@pytest.mark.parametrize(("what", "variables", "expected"), FEATURES, ids=str)
def test_features(what: str, variables: dict[str, str], expected: Any) -> None:
    del what
    parsed = istiod.parse_deployment(deployment(*(variable(*each) for each in variables.items())))
    names = istiod.find_template_variables('{{ env "LOG" "info" }} {{ env `X` "" }}')
    assert names == {"LOG", "X"}
    assert istiod.make_features(parsed, names) == expected


MODES = (
    ("1.30.3", "", "auto"),
    ("1.27.0", "true", "true"),
    ("1.27.0", "yes", "false"),  # Istio falls back to false
    ("1.26.8", "", "false"),
    ("1.26.8", "1", "true"),
    ("1.26.8", "auto", "false"),
    ("dev", "", "auto"),
)


@pytest.mark.parametrize(("release", "value", "expected"), MODES)
def test_native_sidecars(release: str, value: str, expected: str) -> None:
    environment = IstiodEnvironment({"ENABLE_NATIVE_SIDECARS": value})
    assert istiod.find_native_mode(environment, release) == expected


KUBELETS = (
    ((), True),
    (("v1.33.1", "v1.37.2-eks-1"), True),
    (("v1.33.1", "v1.32.9"), False),
    (("unknown",), False),
)


@pytest.mark.parametrize(("versions", "expected"), KUBELETS)
def test_kubelets(versions: tuple[str, ...], expected: bool) -> None:
    assert istiod.are_kubelets_native(versions) is expected


RELEASES = (
    ("docker.io/istio/pilot:1.30.3", "1.30.3", None),
    ("docker.io/istio/pilot:1.30.3-distroless", "1.30.3", None),
    ("registry:5000/istio/pilot:1.29.1@sha256:00", "custom", "1.29.1"),
    ("registry:5000/istio/pilot@sha256:00", "1.29.1", None),
    ("pilot:main", "1.29.1", None),
)


@pytest.mark.parametrize(("image", "tag", "expected"), RELEASES)
def test_releases(image: str, tag: str, expected: str | None) -> None:
    environment = istiod.parse_deployment(deployment(image=image))
    assert istiod.choose_release(environment, tag) == expected


def test_unread_inputs_are_warnings() -> None:
    reference = {"name": "PLATFORM", "valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}
    unrelated = {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
    parsed = istiod.parse_deployment(
        deployment(reference, unrelated, envFrom=[{"configMapRef": {"name": "a"}}])
    )
    warnings = [*istiod.find_unread(parsed, frozenset({"LOG"}))]
    assert [warning.split(":")[1] for warning in warnings] == [
        " variable PLATFORM",
        " envFrom",
    ]
    assert "LOG" in warnings[1]
