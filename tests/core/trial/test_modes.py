"""The check of native sidecars: both modes, templates that fail in one, and what moves."""

from pathlib import Path

import pytest

from podgraft.core import bundle, policy, trial
from podgraft.core.trial.modes import find_mode_differences

SAMPLE = Path(__file__).parents[3] / "samples" / "istio"
INJECTOR = (SAMPLE / "bundle" / "injector.yaml").read_text()
POLICY = (SAMPLE / "policy.yaml").read_text()
# A template that patches the proxy, in the list of one mode.
DEBUG = """    templates:
      debug: |
        spec:
          LIST:
          - name: istio-proxy
            env:
            - {name: DEBUG, value: "1"}
"""


def read_files(template: str = "") -> dict[str, bytes]:
    text = INJECTOR.replace("    templates:\n", template, 1) if template else INJECTOR
    mesh = (SAMPLE / "bundle" / "mesh.yaml").read_bytes()
    return {"injector.yaml": text.encode(), "mesh.yaml": mesh}


def read_policy(native: bool) -> policy.Policy:
    value = "true" if native else "false"
    return policy.parse(POLICY.replace("nativeSidecars: false", f"nativeSidecars: {value}"))


@pytest.mark.parametrize(
    ("native", "line"),
    [
        (False, "with native sidecars on, istio-proxy is in initContainers (adds restartPolicy)"),
        (True, "with native sidecars off, istio-proxy is in containers (removes restartPolicy)"),
    ],
)
def test_the_difference_of_the_modes_is_reported_once(native: bool, line: str) -> None:
    read = read_policy(native)
    compiled = bundle.compile_(read_files(), read)

    assert [str(each) for each in find_mode_differences(compiled, read)] == [
        f"default templates: {line}"
    ]


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("list_name", ["containers", "initContainers"])
def test_a_template_for_the_other_mode_is_reported(native: bool, list_name: str) -> None:
    """istio#56455: the sidecar is in the other list, so the pod would get a second container."""
    read = read_policy(native)
    compiled = bundle.compile_(read_files(DEBUG.replace("LIST", list_name)), read)
    report = trial.check_bundle(compiled, read)
    is_error = native == (list_name == "containers")
    found = report.errors if is_error else report.warnings
    other = "initContainers" if list_name == "containers" else "containers"

    assert [each.problem for each in found if "istio-proxy" in each.problem] == [
        (
            f"{'' if is_error else f'with native sidecars {_mode(not native)}, '}"
            "for a Deployment's pod, adds container istio-proxy without an image, because the "
            f"container is in {other}"
        )
    ]


def _mode(native: bool) -> str:
    return "on" if native else "off"
