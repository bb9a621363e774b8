"""``podgraft policy allows``: the block for a bundle, printed or written."""

from pathlib import Path

import pytest

from podgraft.cli import main
from podgraft.core import policy
from podgraft.kube import yaml
from support.config_folder import write_folder

SAMPLES = Path(__file__).parents[2] / "samples"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    capsys.readouterr()
    status = main(["policy", "allows", *arguments])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


@pytest.mark.parametrize(
    ("sample", "block"),
    [
        ("istio", "allows:\n  presets:\n  - istio\n"),
        ("datadog-env", "allows:\n  hostPath:\n  - /var/run/datadog\n"),
        ("vault-agent", "allows: {}\n"),
    ],
)
def test_the_block_of_a_sample(sample: str, block: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, str(SAMPLES / sample)) == (0, block, "")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("policy: enabled\n", "policy: enabled\nBLOCK"),
        ("policy: enabled", "policy: enabled\nBLOCK"),
        ("", "BLOCK"),
        (
            "# all\nallows: {}\n\n# next\npolicy: enabled\n",
            "# all\nBLOCK\n# next\npolicy: enabled\n",
        ),
        ("allows:\n  runAsRoot:\n  - x\n\n  # y\n  privileged: []\npolicy: enabled\n", None),
        ("allows:\n- x\n", None),
        ("policy: enabled\nallows:\n", "policy: enabled\nBLOCK"),
    ],
)
def test_write_changes_nothing_else(
    before: str, after: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_folder(tmp_path / "a", "istio", before)
    document = tmp_path / "a/policy.yaml"
    status, block, errors = run(capsys, folder)
    if status:
        assert before.startswith("allows:\n-")
        assert "/allows: expected a mapping" in errors
        return
    assert document.read_text() == before
    assert run(capsys, folder, "--write")[0] == 0
    written = document.read_text()
    if after is not None:
        assert written == after.replace("BLOCK", block)
    else:
        assert yaml.load(written) == {
            "allows": {"runAsRoot": ["x"], "privileged": [], "presets": ["istio"]},
            "policy": "enabled",
        }
    assert policy.parse(written).allows is not None
    assert run(capsys, folder, "--write")[0] == 0
    assert document.read_text() == written


def test_names_that_are_listed_remain_and_missing_ones_are_added(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = "allows: {registries: [docker.io/other], hostPorts: [80]}\n"
    folder = write_folder(tmp_path / "a", "appmesh", listed)
    assert run(capsys, folder, "--write")[0] == 0
    written = yaml.load((tmp_path / "a/policy.yaml").read_text())
    assert isinstance(written, dict)
    allows = written["allows"]
    assert isinstance(allows, dict)
    assert allows["hostPorts"] == [80]
    assert allows["registries"] == ["docker.io/other", "example.com/"]
    assert "NET_ADMIN" in str(allows["capabilities"])
    assert main(["policy", "check", "--strict", folder]) == 0


def test_a_policy_in_flow_style_is_not_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_folder(tmp_path / "a", "istio", "{policy: enabled}\n")
    status, _, errors = run(capsys, folder, "--write")
    assert status == 1
    assert "is in flow style, so podgraft cannot write the key allows; write one key" in errors
    assert (tmp_path / "a/policy.yaml").read_text() == "{policy: enabled}\n"


def test_write_needs_a_policy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bundle").symlink_to(SAMPLES / "istio" / "bundle")
    status, _, errors = run(capsys, str(tmp_path), "--write")
    assert status == 1
    assert f"{tmp_path}: has no policy.yaml to write to" in errors


@pytest.mark.parametrize(
    "sample", sorted(SAMPLES.glob("*/policy.yaml")), ids=lambda p: p.parent.name
)
def test_the_policies_of_the_samples_list_all_privileges(
    sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["policy", "check", "--strict", str(sample.parent)]) == 0
    assert capsys.readouterr().err == ""
