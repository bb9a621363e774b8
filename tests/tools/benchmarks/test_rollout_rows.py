"""The rows of rollouts and of the census: they measure what their names say."""

from pathlib import Path
from typing import Any

import pytest

from bench import census, pods
from bench.bench_input import sample_input
from bench.rollout import (
    SHADOW_TARGET,
    WITHOUT,
    WITHOUT_CODE,
    change_image,
    measure_code,
    measure_rollout,
    write_rollout,
)
from podgraft.core import review
from podgraft.core.review_context import ReviewContext
from podgraft.kube import admission
from podgraft.service.store.census import CAP_SECONDS
from podgraft.service.store.folder import FolderStore

ROWS = {
    "pod seen before, rollout that does not select it",
    "pod seen before, shadow at 100 %",
    "pod never seen, rollout that does not select it",
    "pod never seen, shadow at 100 %",
}


def test_each_kind_of_pod_has_a_row_of_shadow(tmp_path: Path) -> None:
    rows = {row.name: row for row in measure_rollout(sample_input(), tmp_path, 2)}
    assert set(rows) == ROWS
    assert {row.baseline for row in rows.values()} == {WITHOUT}
    for name, row in rows.items():
        assert row.repetitions == 2
        assert (row.target == SHADOW_TARGET) is ("shadow" in name)


def test_the_rows_without_a_rollout_compare_with_reviews_without_its_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    run_tracks = review.run_tracks

    def count(*arguments: Any) -> review.ReviewResult:
        asked.append("candidate")
        return run_tracks(*arguments)

    monkeypatch.setattr(review, "run_tracks", count)
    rows = {row.name: row for row in measure_code(sample_input(), tmp_path, 2)}
    assert set(rows) == {"pod seen before, no rollout", "pod never seen, no rollout"}
    assert {row.target for row in rows.values()} == {1.02}
    assert {row.baseline for row in rows.values()} == {WITHOUT_CODE}
    assert asked
    assert len(asked) < sum(row.repetitions for row in rows.values()) + 200
    assert review.run_tracks is count


@pytest.mark.parametrize(("share", "outcome"), [(100, "changed"), (0, "outside")])
def test_the_candidate_changes_each_selected_pod(tmp_path: Path, share: int, outcome: str) -> None:
    inputs = sample_input()
    store = FolderStore(write_rollout(inputs, change_image(inputs), tmp_path, share))
    for kind in (pods.similar_pod, pods.unseen_pod):
        request = admission.decode(kind(inputs, 1)["body"].encode())
        result = review.inject(ReviewContext(injector="default").with_request(request), store)
        assert result.record.candidate is not None
        assert result.record.candidate.candidate == outcome


def test_without_a_share_there_is_no_rollout(tmp_path: Path) -> None:
    inputs = sample_input()
    store = FolderStore(write_rollout(inputs, change_image(inputs), tmp_path, None))
    assert store.snapshot("default", None).candidate is None


def test_the_rows_of_the_census_measure_a_write(tmp_path: Path) -> None:
    hanging, fast = census.measure_census(sample_input(), tmp_path, 2)
    assert hanging.baseline_median == fast.baseline_median == CAP_SECONDS
    # The put of the first row waits until the cap; that of the second does not.
    assert hanging.median > CAP_SECONDS / 2
    assert hanging.repetitions == fast.repetitions == 2
