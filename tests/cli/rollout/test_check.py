"""``podgraft check`` of a policy with a rollout: its errors and its warnings."""

from pathlib import Path

import pytest

from podgraft.cli import main
from support.store_fixture import BUNDLE, write

CLUSTERS = "clusters:\n  staging: {policy: disabled, features: {platform: a}}\n"
ROLLOUT = """\
rollout:
  id: a
  mode: share
  share: 5
  candidate:
    policy: disabled
"""
CASES = (
    ("valid", ROLLOUT, 0, ""),
    (
        "an error of the rollout",
        ROLLOUT.replace("share\n", "canary\n"),
        1,
        'error: policy.yaml /rollout/mode: got "canary"; use shadow, share, or paused',
    ),
    (
        "flow style",
        "{policy: enabled, rollout: {id: a, mode: share, candidate: {policy: disabled}}}",
        1,
        "error: policy.yaml /rollout: unsupported flow style; write one key per line",
    ),
    (
        "a cluster that sets the key",
        CLUSTERS + ROLLOUT,
        0,
        (
            "warning: policy.yaml /rollout/candidate/policy: cluster staging sets its policy; the "
            "candidate does not change it in staging"
        ),
    ),
    (
        "a cluster that sets the feature",
        CLUSTERS + ROLLOUT.replace("policy: disabled", "features: {platform: b}"),
        0,
        (
            "warning: policy.yaml /rollout/candidate/features/platform: cluster staging sets its "
            "features/platform; the candidate does not change it in staging"
        ),
    ),
    (
        "a cluster that changes first",
        ROLLOUT.replace("  candidate", "  clusters: {prod-eu: 100, dev: 5}\n  candidate"),
        0,
        (
            "warning: policy.yaml /rollout/clusters/prod-eu: got 100 while share is 5; "
            "prod-eu changes first"
        ),
    ),
    (
        "a candidate that does not compile",
        ROLLOUT.replace("policy: disabled", "defaultTemplates: [unknown]"),
        1,
        "unknown",
    ),
)


@pytest.mark.parametrize(
    ("name", "text", "status", "expected"), CASES, ids=[case[0] for case in CASES]
)
def test_check(  # noqa: PLR0913, PLR0917 — one parameter per column
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    text: str,
    status: int,
    expected: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for path, content in BUNDLE.items():
        write(tmp_path / "bundle" / path, content)
    write(tmp_path / "policy.yaml", text.encode())
    arguments = ["policy", "check", "."]
    assert main(arguments) == status, (name, capsys.readouterr())
    assert expected in capsys.readouterr().err
    if expected.startswith("warning"):
        assert main([*arguments, "--strict"]) == 1
