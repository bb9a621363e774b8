"""An Istio release has one rule: in the policy, in ``--istio-release``, and in every command."""

from pathlib import Path

import pytest

from podgraft import cli
from podgraft.core.policy import RELEASE_REMEDY
from support.config_folder import write_folder

SAMPLE = Path(__file__).parents[2] / "samples" / "istio"
PAGE = Path(__file__).parents[2] / "docs" / "from-istio.md"
Out = pytest.CaptureFixture[str]

NEWER = "Istio {} is newer than all supported releases; podgraft follows Istio {}"
VALID = (
    # the release, the followed one, the warning; each row is one of the migration page
    ("1.28.6", "1.28.6", ""),
    ("1.28.6-distroless", "1.28.6", ""),
    ("1.28", "1.28.10", ""),
    ("v1.28", "1.28.10", ""),
    ("v1.30.3", "1.30.3", ""),
    ("1.31.0-rc.0", "1.31.0", ""),
    ("1.29.2-asm.17", "1.29.2", '"1.29.2-asm.17" is a vendor\'s release; podgraft follows'),
    ("1.28.99", "1.28.10", NEWER.format("1.28.99", "1.28.10")),
    ("1.99", "1.32.0", NEWER.format("1.99", "1.32.0 (the master branch of August 2026)")),
    ("HEAD", "1.32.0", ""),
)
INVALID = ("master", "latest", "1", "1.30 beta", "")


@pytest.fixture
def policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A policy next to the bundle of a sample; the folder is the working folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bundle").symlink_to(SAMPLE / "bundle")
    (tmp_path / "web.yaml").symlink_to(SAMPLE / "input.web.yaml")
    write_folder(tmp_path / "none", SAMPLE, "policy: enabled\n")
    return tmp_path / "policy.yaml"


def run_all(release: str, policy: Path, capsys: Out) -> list[tuple[int, str]]:
    """The status and the messages of each command that reads a release, in each way."""
    policy.write_text(f'istioRelease: "{release}"\npolicy: enabled\n')
    with_policy = ("-f", "web.yaml", "--config", ".")
    with_option = (*with_policy[:-1], "none", "--istio-release", release)
    results: list[tuple[int, str]] = []
    for command in (
        ("inject", *with_policy),
        ("inject", *with_option),
        ("explain", *with_policy),
        ("explain", *with_option),
        ("policy", "check", "."),
    ):
        status = cli.main(command)
        printed = capsys.readouterr()
        results.append((status, printed.out + printed.err))
    return results


@pytest.mark.parametrize(("release", "followed", "warning"), VALID)
def test_every_command_accepts_the_release_with_the_same_warning(
    release: str, followed: str, warning: str, policy: Path, capsys: Out
) -> None:
    results = run_all(release, policy, capsys)

    assert [status for status, _ in results] == [0] * 5
    for _, printed in results:
        assert warning in printed
        assert ("is newer than" in printed or "vendor's release" in printed) == bool(warning)
    assert f"sidecar, as Istio {followed} renders them" in results[2][1]
    assert f"sidecar, as Istio {followed} renders them" in results[3][1]


@pytest.mark.parametrize("release", INVALID)
def test_every_command_rejects_the_text_with_the_same_remedy(
    release: str, policy: Path, capsys: Out
) -> None:
    for status, printed in run_all(release, policy, capsys):
        assert status == 1
        assert RELEASE_REMEDY in printed


def test_the_page_has_a_row_for_each_form() -> None:
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    forms = " ".join(rows)
    for release in ("1.28.6", "1.28.6-distroless", "1.28", "v1.28", "1.31.0-rc.0", "1.99", "HEAD"):
        assert f"`{release}`" in forms
