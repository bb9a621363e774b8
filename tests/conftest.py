"""Options of the whole suite, and what no test may write (secrecy/hook.py)."""

import gc
from collections.abc import Generator
from pathlib import Path
from zlib import crc32

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

pytest_plugins = ("secrecy.hook", "support.outcome_log", "support.leftover_processes")


TESTS = Path(__file__).parent
# Tests that run every command of a page, start many servers, or try much input, as FILE::FUNCTION,
# without parameters: ``make test`` omits them.
LONG_TESTS = frozenset((TESTS / "long_tests.txt").read_text().split())
# Files whose tests start servers or try much input: ``make test-fast`` omits them.
SLOW_FILES = frozenset(
    {
        "core/bundle/test_privilege_check.py",
        "kube/cel/test_laws.py",
        "charts/test_chart.py",
        "charts/test_kubernetes.py",
        "tools/benchmarks/test_rollout_rows.py",
        "tools/benchmarks/test_runs.py",
        "tools/benchmarks/test_timing.py",
        "cli/certs/test_commands.py",
        "cli/certs/test_names.py",
        "cli/certs/test_rotation.py",
        "cli/certs/test_trust.py",
        "cli/explain/test_agreement.py",
        "cli/explain/test_results.py",
        "cli/policy/diff/test_unified.py",
        "cli/policy/test_delete_command.py",
        "cli/policy/test_diff_command.py",
        "cli/policy/test_edit_command.py",
        "cli/policy/test_history_command.py",
        "cli/policy/test_prune_command.py",
        "cli/policy/test_push_options.py",
        "cli/preview/test_preview.py",
        "cli/preview/test_unknown_share.py",
        "cli/register/test_command.py",
        "cli/rollout/test_commands.py",
        "cli/rollout/test_evidence.py",
        "cli/rollout/test_health.py",
        "service/serve/test_connection_counts.py",
        "service/serve/test_https.py",
        "service/serve/test_memory.py",
        "service/serve/test_serve.py",
        "service/serve/test_serve_faults.py",
        "service/serve/test_serve_state.py",
        "service/serve/test_silent_connections.py",
        "service/serve/test_startup_trial.py",
        "cli/test/test_command.py",
        "cli/test_completion.py",
        "cli/test_extras.py",
        "cli/test_init.py",
        "cli/test_inject_settings.py",
        "cli/test_policy.py",
        "cli/test_policy_check.py",
        "cli/test_policy_signing.py",
        "cli/test_policy_stages.py",
        "cli/test_policy_warnings.py",
        "cli/tokens/test_commands.py",
        "cli/tokens/test_concurrency.py",
        "docs/test_docstrings.py",
        "docs/test_in_cluster_page.py",
        "docs/test_man_pages.py",
        "docs/test_page_commands.py",
        "docs/test_pictures.py",
        "docs/test_operator_permissions.py",
        "docs/test_readme.py",
        "docs/test_reference_pages.py",
        "docs/test_testing_page.py",
        "guard/test_guard.py",
        "core/injectors/istio/test_patches.py",
        "core/injectors/istio/test_structure.py",
        "core/injectors/istio/test_uninject.py",
        "core/injectors/test_structure_check.py",
        "core/injectors/test_structure_laws.py",
        "layers/test_unused_files.py",
        "kube/matching/test_index.py",
        "kube/patch/test_strategic_go.py",
        "performance/test_caches.py",
        "performance/test_growth.py",
        "performance/test_imports.py",
        "performance/test_review_path.py",
        "playground/test_page_modules.py",
        "playground/test_session.py",
        "playground/test_step_inputs.py",
        "playground/test_stubs.py",
        "playground/test_yaml_parsers.py",
        "core/policy/test_rollout.py",
        "probe/test_probe.py",
        "core/review/test_candidate.py",
        "core/review/test_concurrency.py",
        "core/review/test_promotion.py",
        "samples/test_container_names.py",
        "samples/test_native_sidecars.py",
        "samples/test_recorded.py",
        "golang/sprig/test_intended.py",
        "golang/sprig/test_laws.py",
        "golang/sprig/test_recorded.py",
        "service/store/test_aws_faults.py",
        "service/store/test_brake_machine.py",
        "service/store/test_candidate.py",
        "service/store/test_census.py",
        "service/store/test_earlier_versions.py",
        "service/store/test_fault_matrix.py",
        "service/store/test_file_faults.py",
        "service/store/test_folder_store.py",
        "service/store/test_clients.py",
        "service/store/test_last_known_good.py",
        "service/store/test_out_of_reach.py",
        "service/store/test_trial.py",
        "service/store/test_version_check.py",
        "base/test_jsonvalue.py",
        "test_names.py",
        "golang/texttemplate/test_corpus.py",
        "golang/texttemplate/test_dependencies.py",
        "golang/texttemplate/test_laws.py",
        "golang/texttemplate/test_parser.py",
        "golang/texttemplate/test_recorded.py",
        "golang/texttemplate/test_sections.py",
        "core/trial/test_modes.py",
        "core/trial/test_trial.py",
        "kube/validation/test_loading.py",
        "service/http/test_events.py",
        "service/http/test_faults.py",
        "service/http/test_handler.py",
        "service/http/test_health.py",
        "service/http/test_log_line.py",
        "service/http/test_malformed_reviews.py",
        "service/http/test_many_clusters.py",
        "service/http/test_runtime_client.py",
        "kube/yaml/test_incremental.py",
        "kube/yaml/test_laws.py",
    }
)
# Folders with tests that start servers, install wheels, or run every release of Istio.
SLOW_FOLDERS = frozenset(
    {
        "chaos",
        "conformance",
        "e2e",
        "fuzz",
        "layers",
        "oracle",
        "peers",
        "scripts",
        "secrecy",
        "tools",
    }
)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: make test-fast omits the test")
    config.addinivalue_line("markers", "long: make test omits the test, make test-all runs it")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import what is omitted: slow files with ``--fast``, other parts with ``--part``."""
    if TESTS not in collection_path.parents:
        return None
    path = collection_path.relative_to(TESTS).as_posix()
    if config.getoption("--fast") and (path in SLOW_FILES or path in SLOW_FOLDERS):
        return True
    number, parts = map(int, str(config.getoption("--part")).split("/"))
    is_other = collection_path.suffix == ".py" and crc32(path.encode()) % parts != number - 1
    return is_other or None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the garbage collector from searching the collected tests again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the long tests, and omit single slow tests with ``--fast``."""
    for item in items:
        file = item.path.relative_to(TESTS).as_posix()
        if isinstance(item, pytest.Function) and f"{file}::{item.originalname}" in LONG_TESTS:
            item.add_marker(pytest.mark.long)
    if config.getoption("--fast"):
        items[:] = [
            item
            for item in items
            if not (item.get_closest_marker("slow") or item.get_closest_marker("long"))
        ]


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update-goldens`` writes what tests got over what they wanted: look at the diff."""
    parser.addoption("--update-goldens", action="store_true", help="rewrite golden files")
    parser.addoption("--fast", action="store_true", help="omit slow folders, files, and tests")
    parser.addoption("--part", default="1/1", metavar="N/M", help="run part N of M parts")
