"""What a trial refuses, what it lets pass, and what it costs."""

from pathlib import Path

import pytest

from podgraft.cli import folders
from podgraft.core import bundle, policy, trial
from podgraft.core.bundle import BundleError
from support.broken_bundles import BROKEN, POLICY, BrokenBundle, Files, container, overlay

SAMPLES = Path(__file__).parents[3] / "samples"
FOLDERS = sorted(path.parent for path in SAMPLES.glob("*/policy.yaml"))


def run_trial(files: Files, document: str = "policy: enabled") -> trial.Report:
    """Return the report of a complete trial."""
    read = policy.parse(document)
    return trial.check_bundle(bundle.compile_(files, read), read)


def errors(files: Files, document: str = "policy: enabled") -> list[str]:
    return [*map(str, run_trial(files, document).errors)]


@pytest.mark.parametrize("broken", BROKEN, ids=str)
def test_a_bundle_that_breaks_pods_is_an_error_with_location_problem_and_remedy(
    broken: BrokenBundle,
) -> None:
    try:
        found = errors(broken.files, POLICY if "injector.yaml" in broken.files else "")
    except BundleError as error:  # what istiod refuses at load does not compile
        found = [*map(str, error.errors)]
    assert any(
        broken.location in each and broken.problem in each and broken.remedy in each
        for each in found
    ), found


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_samples_have_no_errors(folder: Path) -> None:
    report = run_trial(
        folders.read_manifests(folder / "bundle"), (folder / "policy.yaml").read_text()
    )
    assert (report.errors, report.warnings) == ([], [])


def test_a_trial_has_many_steps() -> None:
    read, report = policy.parse(POLICY), trial.Report()
    steps = [*trial.try_bundle(bundle.compile_(BROKEN[0].files, read), read, report)]
    assert len(steps) > 10
    assert report.errors == run_trial(BROKEN[0].files, POLICY).errors


def test_a_template_that_exceeds_a_limit_is_stopped_early() -> None:
    loop = "{{ range until 2000 }}{{ range until 2000 }}{{ end }}{{ end }}" + container("a/b:1")
    (error,) = errors(overlay(loop))
    assert "takes more than 100000 steps" in error
    assert "; simplify line 1 of the template" in error
