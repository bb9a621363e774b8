"""Options of the whole suite, and what no test may write (secrecy/hook.py)."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from support.effort import scaled

# How long an example takes depends on what else the machine does: no test asserts it.
settings.register_profile(
    "podgraft",
    deadline=None,
    max_examples=scaled(100, by=4),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("podgraft")

pytest_plugins = ("secrecy.hook",)


TESTS = Path(__file__).parent
# Tests that run every command of a page, start many servers, or try much input, as FILE::FUNCTION,
# without parameters: only ``make test-long`` runs them.
LONG_TESTS = frozenset((TESTS / "long_tests.txt").read_text().split())
# Files whose tests start servers or try much input: ``make test-fast`` omits them.
SLOW_FILES = frozenset(
    {
        "cel/test_laws.py",
        "cli/bench/test_runs.py",
        "cli/bench/test_timing.py",
        "cli/certs/test_commands.py",
        "cli/certs/test_rotation.py",
        "cli/explain/test_agreement.py",
        "cli/policy/diff/test_unified.py",
        "cli/policy/test_delete_command.py",
        "cli/policy/test_diff_command.py",
        "cli/policy/test_edit_command.py",
        "cli/policy/test_history_command.py",
        "cli/policy/test_prune_command.py",
        "cli/policy/test_push_options.py",
        "cli/serve/test_https.py",
        "cli/serve/test_serve.py",
        "cli/serve/test_serve_faults.py",
        "cli/serve/test_serve_state.py",
        "cli/serve/test_silent_connections.py",
        "cli/serve/test_startup_trial.py",
        "cli/test/test_command.py",
        "cli/test_policy.py",
        "cli/test_policy_check.py",
        "cli/test_policy_stages.py",
        "cli/tokens/test_concurrency.py",
        "docs/test_changing_policies.py",
        "docs/test_deploying.py",
        "docs/test_docstrings.py",
        "docs/test_module_table.py",
        "docs/test_operator_permissions.py",
        "docs/test_readme.py",
        "docs/test_testing_policies.py",
        "injectors/istio/test_structure.py",
        "injectors/istio/test_uninject.py",
        "injectors/test_structure_guard.py",
        "injectors/test_structure_laws.py",
        "patch/test_strategic_go.py",
        "performance/test_caches.py",
        "performance/test_growth.py",
        "performance/test_imports.py",
        "performance/test_review_path.py",
        "performance/test_stubs.py",
        "playground/test_session.py",
        "playground/test_stubs.py",
        "playground/test_yaml_parsers.py",
        "review/test_concurrency.py",
        "samples/test_container_names.py",
        "samples/test_native_sidecars.py",
        "samples/test_recorded.py",
        "sprig/test_intended.py",
        "sprig/test_laws.py",
        "sprig/test_recorded.py",
        "store/test_aws_faults.py",
        "store/test_earlier_versions.py",
        "store/test_fault_matrix.py",
        "store/test_file_faults.py",
        "store/test_http_client.py",
        "store/test_out_of_reach.py",
        "store/test_trial.py",
        "texttemplate/test_corpus.py",
        "texttemplate/test_dependencies.py",
        "texttemplate/test_laws.py",
        "texttemplate/test_parser.py",
        "texttemplate/test_recorded.py",
        "trial/test_modes.py",
        "trial/test_trial.py",
        "validation/test_loading.py",
        "web/test_malformed_reviews.py",
        "web/test_many_clusters.py",
        "web/test_runtime_client.py",
        "yaml/test_incremental.py",
        "yaml/test_laws.py",
    }
)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: make test-fast omits the test")
    config.addinivalue_line("markers", "long: make test omits the test, make test-long runs it")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of slow files, and the long tests."""
    for item in items:
        file = item.path.relative_to(TESTS).as_posix()
        if file in SLOW_FILES:
            item.add_marker(pytest.mark.slow)
        if isinstance(item, pytest.Function) and f"{file}::{item.originalname}" in LONG_TESTS:
            item.add_marker(pytest.mark.long)


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update-goldens`` writes what tests got over what they wanted: look at the diff."""
    parser.addoption("--update-goldens", action="store_true", help="rewrite golden files")
