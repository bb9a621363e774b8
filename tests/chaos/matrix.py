"""The chaos matrix of docs/reliability.md: each failure, what podgraft promises, and its tests.

``pytest tests/docs/test_reliability_page.py --update-goldens`` writes it to the page. A test checks
that each named test exists.
"""

from __future__ import annotations

from dataclasses import dataclass

from service.store import test_fault_matrix

BEGIN = "<!-- chaos: tests/docs/test_reliability_page.py --update-goldens writes these tables. -->"
END = "<!-- end of chaos -->"


@dataclass(frozen=True, slots=True)
class ChaosRow:
    """A failure, the promise, and the tests as ``file::name`` below tests."""

    failure: str
    promise: str
    tests: tuple[str, ...]


_CLOCKS, _PUSH = "chaos/test_clocks.py", "chaos/test_push_kill.py"
_SERVE, _FLIPS = "chaos/test_serve_under_load.py", "chaos/test_policy_flips.py"
_HTTP = "service/store/test_clients.py"

ROWS = (
    ChaosRow(
        "the policy changes under load (10⁵ reviews with `FLIP_REVIEWS=100000`)",
        "each response comes from exactly one version of policy and bundle",
        (
            f"{_FLIPS}::test_each_response_comes_from_exactly_one_version",
            "core/review/test_concurrency.py::test_each_review_uses_one_pair_of_policy_and_bundle",
        ),
    ),
    ChaosRow(
        "a clock stops in a freeze, or jumps forward or back, by a second or by months",
        "the next review refreshes; no version and no token stays in force longer",
        (
            f"{_CLOCKS}::test_a_clock_that_jumps_delays_no_refresh",
            f"{_CLOCKS}::test_a_freeze_after_a_correction_of_the_wall_clock_counts_in_full",
            f"{_CLOCKS}::test_a_token_that_was_revoked_before_the_jump_is_rejected_after_it",
            f"{_CLOCKS}::test_a_clock_that_jumps_while_the_store_is_away_is_reported",
            f"{_CLOCKS}::test_a_clock_that_jumps_back_ends_the_throttling_in_time",
        ),
    ),
    ChaosRow(
        "SnapStart restores an environment, also with dead connections",
        "the first review reads policy and callers again; without Parameter Store, it uses no "
        "token of the snapshot, and no policy of more than a day",
        (
            f"{_CLOCKS}::test_a_restored_environment_reads_policy_and_callers_before_it_responds",
            f"{_CLOCKS}::test_a_start_that_no_one_waits_for_expires_both_stores",
            (
                f"{_CLOCKS}::"
                "test_a_restored_environment_without_parameter_store_uses_no_token_of_its_init"
            ),
            (
                f"{_CLOCKS}::test_a_policy_and_callers_of_the_last_day_serve_while_the_store_is_away"
                "_and_no_older_ones"
            ),
            f"{_CLOCKS}::test_a_snapshot_contains_no_connection_and_its_clients_connect_again",
            (
                f"{_CLOCKS}::"
                "test_restored_environments_draw_nothing_from_the_random_state_that_they_share"
            ),
            f"{_CLOCKS}::test_a_restored_environment_with_dead_connections_responds_and_recovers",
        ),
    ),
    ChaosRow(
        "connections to AWS that are throttled, half-open, closed, or trickle",
        "a review waits for its share of the time, and a later one connects again",
        (
            f"{_CLOCKS}::test_a_restored_environment_with_dead_connections_responds_and_recovers",
            f"{_HTTP}::test_a_connection_that_was_closed_meanwhile_is_made_again",
            f"{_HTTP}::test_a_response_that_trickles_is_given_up",
            f"{_HTTP}::test_a_reset_is_an_error_of_the_connection",
        ),
    ),
    ChaosRow(
        "silent connections to `serve`",
        "reviews of other connections are answered",
        ("service/serve/test_silent_connections.py::test_reviews_are_answered_meanwhile",),
    ),
    ChaosRow(
        "`kill -9` of a worker of `serve`",
        "a review that kube-apiserver repeats is answered; a new worker has the same version",
        (
            f"{_SERVE}::test_killed_workers_lose_no_review_that_is_repeated",
            (
                "service/serve/test_serve_state.py::"
                "test_a_new_worker_responds_with_what_the_one_before_loaded"
            ),
        ),
    ),
    ChaosRow(
        "`kill -9` of `policy push` before and after each call of AWS",
        "the old or the new version answers, complete; the same command finishes the push",
        (f"{_PUSH}::test_a_push_that_is_killed_at_any_call_leaves_a_complete_version",),
    ),
    ChaosRow(
        "two pushes at once",
        "one complete version is in force; the other is in the history, or was refused by name",
        (
            f"{_PUSH}::test_of_two_pushes_at_once_no_part_is_mixed_or_lost",
            (
                "cli/test_policy_stages.py::"
                "test_a_version_that_another_writes_meanwhile_is_not_replaced"
            ),
            "cli/test_policy_stages.py::test_a_version_that_was_replaced_at_the_same_time_is_named",
        ),
    ),
    ChaosRow(
        "the disk is full",
        "reviews go on; no part of a file remains, and no complete file is replaced by a part",
        (
            (
                "chaos/test_disk_full.py::"
                "test_a_full_state_folder_stops_no_review_and_retains_its_version"
            ),
            "chaos/test_disk_full.py::test_a_full_disk_leaves_no_part_of_a_key",
        ),
    ),
    ChaosRow(
        "SIGTERM with reviews in flight",
        "each review that was read is answered, and the process ends with status 0",
        (
            f"{_SERVE}::test_sigterm_with_reviews_in_flight_ends_each_of_them",
            "service/serve/test_https.py::test_stopping_finishes_what_was_begun",
        ),
    ),
    ChaosRow(
        "the certificate is renewed under load",
        "no review fails; new connections get the new certificate",
        (
            f"{_SERVE}::test_a_renewed_certificate_breaks_no_review",
            "service/serve/test_https.py::test_a_new_certificate_is_shown_and_open_connections_live_on",
        ),
    ),
)

_HEADINGS = {
    "ssm cold": "Parameter Store, cold",
    "ssm warm": "Parameter Store, warm",
    "s3 cold": "S3, cold",
    "s3 warm": "S3, warm",
    "folder cold": "folder, cold",
    "folder kept": "folder, new worker",
    "folder warm": "folder, warm",
}


def render_tables() -> str:
    """Both tables, as Markdown."""
    return f"{_render_faults()}\n\n{_render_rows()}"


def _render_faults() -> str:
    columns = test_fault_matrix.HEAD[1:]
    head = ["fault", *(_HEADINGS[column] for column in columns)]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for fault, *cells in test_fault_matrix.ROWS:
        lines.append(f"| {fault} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _render_rows() -> str:
    lines = ["| failure | promise |", "|---|---|"]
    lines += [f"| {row.failure} | {row.promise} |" for row in ROWS]
    return "\n".join(lines)
