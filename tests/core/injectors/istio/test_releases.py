"""The table of releases, read against what the history of Istio's sources says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from podgraft.core.injectors.istio import release_spans, releases
from podgraft.core.injectors.istio.config import protojson
from podgraft.core.injectors.istio.release_spans import Span
from podgraft.core.injectors.istio.releases import (
    KNOWN,
    Profile,
    UnknownReleaseError,
    parse_release,
    profile,
)
from podgraft.core.policy import RELEASE_REMEDY
from podgraft.golang.sprig.cast import CASTS

# What each release switches on (+) and off (-): a patch against the one before it, the first of a
# minor against the first of the minor before.
CHANGES: dict[str, str] = {
    "1.0.0": """
        +by_hand_appends +connect_timeout_short +drain_times_limited +early_violations
        +first_violation_only +fs_group_by_token_mount +fs_group_replaces +kubernetes_defaults
        +parent_shutdown +signed_ports +status_version
    """,
    "1.0.3": """
        +readiness_checked +readiness_ports_checked +includes_udp_ports -first_violation_only
        -signed_ports
    """,
    "1.1.0": """
        +fs_group_by_sds +namespace_filled +none_intercepts +readiness_checked
        +readiness_ports_checked +selectors +includes_udp_ports +workload_data
        -first_violation_only -kubernetes_defaults -signed_ports
    """,
    "1.2.0": """
        +brace_delimiters +outbound_ports_checked +probe_annotation +skips_injected
        +values_data -early_violations
    """,
    "1.3.0": """
        +any_replica_set +by_hand_redirects +owner_lookup +protocol_detection_timeout
        +remote_services_set +type_data -fs_group_by_token_mount
    """,
    "1.4.0": "+injected_annotations +labels_added -includes_udp_ports",
    "1.4.5": "-fs_group_replaces",
    "1.5.0": """
        +canonical_labels +enable_core_dump_checked +copies_complete_probes -fs_group_replaces
        -readiness_ports_checked
    """,
    "1.6.0": """
        +agent_port_in_mesh +concurrency_two +istiod_defaults +metrics_merged
        +prints_changes_only +proxy_annotation +revision_label +sds_path_by_default
        +validation_first +zipkin_by_default -protocol_detection_timeout
    """,
    "1.6.1": "+path_environment +proxy_annotation_renamed",
    "1.6.3": "+by_hand_adds_secrets +by_hand_redirects_networks",
    "1.6.10": "+cron_job_owner",
    "1.7.0": """
        +by_hand_adds_secrets +by_hand_announces_metrics +by_hand_redirects_networks
        +hold_application +mutual_tls_by_default +path_environment
        +proxy_annotation_renamed +startup_probes
    """,
    "1.7.1": "+probes_first",
    "1.7.2": "+cron_job_owner",
    "1.8.0": """
        +annotation_after_rendering +by_hand_decides +checks_mesh_names +cluster_of_values
        +cron_job_owner +prints_empty_collections +empty_probers_left_out +hold_by_mesh
        +network_label +parent_shutdown_checked +path_pairs +probes_first +typed_values
        -any_replica_set -by_hand_appends -by_hand_redirects -by_hand_redirects_networks
        -fs_group_by_sds -sds_path_by_default
    """,
    "1.8.2": "+zipkin_host_ip",
    "1.9.0": """
        +four_ignored_namespaces +multus_duplicates +named_by_kind
        +pod_templates +prints_port_text +revision +skips_by_status +zipkin_host_ip
        -annotation_after_rendering -prints_empty_collections -hold_by_mesh -labels_added
        -remote_services_set -status_version
    """,
    "1.9.1": "+hold_by_mesh",
    "1.10.0": "+env_paths +estimated_concurrency +hold_by_mesh",
    "1.10.3": "+merges_proxy_metadata",
    "1.10.5": "+managed_fields_dropped",
    "1.10.6": "+short_job_suffixes",
    "1.11.0": """
        +deployment_meta_without_owners +merges_proxy_metadata +status_port_checked
        +status_revision
    """,
    "1.11.2": "+managed_fields_dropped",
    "1.11.5": "+short_job_suffixes",
    "1.12.0": """
        +extension_providers +inject_label +managed_fields_dropped +tcp_probes +tcp_probes_switch
    """,
    "1.12.1": """
        +deployment_config_label_lost +deployment_config_owner +short_job_suffixes
    """,
    "1.13.0": """
        +deployment_config_label_lost +deployment_config_owner +grpc_probes
        +layers_as_messages +loose_prometheus_names +proxy_image +proxy_layers
        +short_job_suffixes
    """,
    "1.13.3": "+nil_tags_refused",
    "1.14.0": "+parsed_at_load +slow_dns_refresh",
    "1.14.2": "+image_replaced",
    "1.14.5": "+durations_replaced",
    "1.15.0": "+image_replaced +slash_paths",
    "1.15.1": "+durations_replaced",
    "1.16.0": "+durations_replaced +netip_cidrs",
    "1.16.4": "-layers_as_messages",
    "1.17.0": """
        +injected_names +merges_probers -parent_shutdown -parent_shutdown_checked
        -skips_by_status -skips_injected
    """,
    "1.17.2": "-layers_as_messages",
    "1.18.0": """
        +merge_and_inbound_port_set -concurrency_two -estimated_concurrency
        -layers_as_messages
    """,
    "1.19.0": "+compliance_policy +native_sidecars -tcp_probes_switch",
    "1.19.1": "+headers_fall_back",
    "1.19.9": "-deployment_config_label_lost",
    "1.20.0": "+headers_fall_back +proxy_ids",
    "1.20.1": "+resets_overridden_ids",
    "1.20.5": "-deployment_config_label_lost",
    "1.20.6": "-connect_timeout_short",
    "1.20.7": "+adjusts_init_user -resets_overridden_ids",
    "1.21.0": "+bare_pod_owner +resets_overridden_ids",
    "1.21.1": "-deployment_config_label_lost",
    "1.21.2": "-connect_timeout_short",
    "1.21.3": "+adjusts_init_user -resets_overridden_ids",
    "1.22.0": """
        +cron_job_owner_v1 +preserves_deployment_config_label
        +deployment_meta_names_only -deployment_meta_without_owners +image_variant
        +inbound_mode +rollout_owner -deployment_config_label_lost
        -connect_timeout_short -drain_times_limited -zipkin_by_default
    """,
    "1.22.1": "+adjusts_init_user -resets_overridden_ids",
    "1.23.0": "+adjusts_init_user -resets_overridden_ids",
    "1.23.1": "+openshift_ids_cleared",
    "1.23.6": "+multus_namespaces",
    "1.24.0": "+native_annotation +openshift_ids_cleared",
    "1.24.4": "+multus_namespaces",
    "1.25.0": "+dns_auto_allocate_warned +lifecycle_probes -enable_core_dump_checked",
    "1.25.1": "+multus_namespaces",
    "1.26.0": "+config_map_credentials +multus_namespaces",
    "1.27.0": """
        +missing_probers_added +native_flag +openshift_sees_init_containers
        +strict_inject_values
    """,
    "1.27.6": "+quantities_checked",
    "1.28.4": "+quantities_checked",
    "1.29.0": "+quantities_checked",
    "1.30.0": "+interfaces_checked",
    "1.31.0": """
        +checks_connection_settings +image_type_falls_back +proxy_init_image +scrape_targets
    """,
    "1.32.0": "+checks_inbound_retries",
}

# Istio's own template functions that come (+) and go (-).
FUNCTIONS: dict[str, str] = {
    "1.0.0": "+formatDuration +isset",
    "1.0.3": """
        +annotation +applicationPorts +excludeInboundPort +includeInboundPorts +toJson
    """,
    "1.1.0": """
        +annotation +applicationPorts +directory +excludeInboundPort +fromJSON
        +includeInboundPorts +indent +kubevirtInterfaces +toJSON +toJson +toYaml
        +valueOrDefault
    """,
    "1.2.0": "+contains +render",
    "1.3.0": "+structToJSON +toLower",
    "1.4.0": "+protoToJSON",
    "1.5.0": "+env",
    "1.8.0": "+appendMultusNetwork",
    "1.14.0": "-render",
    "1.15.0": "+excludeInterfaces",
    "1.18.0": "+omit +strdict +toJsonMap",
    "1.19.0": "-toJson",
    "1.21.0": "+mergeMaps",
    "1.28.0": "+omitNil",
    "1.30.0": "+otelResourceAttributes",
}

# The Kubernetes types and sprig, from the release on at which either changes.
BUILT_WITH: dict[str, tuple[int, str]] = {
    "1.0.0": (10, ""),
    "1.0.9": (10, ""),
    "1.1.17": (11, ""),
    "1.2.0": (13, ""),
    "1.3.8": (13, ""),
    "1.4.0": (16, ""),
    "1.5.0": (17, ""),
    "1.6.0": (18, ""),
    "1.7.8": (18, ""),
    "1.8.0": (19, "3.1"),
    "1.9.0": (20, "3.2"),
    "1.10.6": (20, "3.2"),
    "1.11.0": (21, "3.2"),
    "1.12.0": (22, "3.2"),
    "1.13.0": (23, "3.2"),
    "1.13.8": (23, "3.2"),
    "1.13.9": (24, "3.2"),
    "1.14.4": (23, "3.2"),
    "1.14.5": (24, "3.2"),
    "1.15.0": (24, "3.2"),
    "1.16.0": (25, "3.2"),
    "1.17.0": (26, "3.2"),
    "1.18.0": (27, "3.2"),
    "1.20.8": (28, "3.2"),
    "1.21.0": (29, "3.2"),
    "1.23.6": (30, "3.2"),
    "1.24.0": (31, "3.3"),
    "1.25.0": (32, "3.3"),
    "1.26.3": (32, "3.3"),
    "1.26.4": (33, "3.3"),
    "1.27.9": (33, "3.3"),
    "1.28.0": (34, "3.3"),
    "1.30.3": (35, "3.3"),
    "1.31.0": (36, "3.3"),
    "1.32.0": (36, "3.3"),
}

EVERY = [(minor, patch) for minor, latest in releases.LATEST.items() for patch in range(latest + 1)]


def _find_behaviors(minor: int, patch: int) -> frozenset[str]:
    """The names of the behaviors that are on."""
    found = profile(minor, patch)
    return frozenset(name for name in found.__struct_fields__ if getattr(found, name) is True)


def _changed_behaviors(on: frozenset[str], before: frozenset[str]) -> set[str]:
    return {f"+{name}" for name in on - before} | {f"-{name}" for name in before - on}


def _before(minor: int, patch: int) -> tuple[int, int] | None:
    """The release that a row of the tables is read against."""
    if patch:
        return minor, patch - 1
    return max(((known, 0) for known in KNOWN if known < minor), default=None)


def _release(text: str) -> tuple[int, int]:
    """The minor and the patch of a tag."""
    _, minor, patch = map(int, text.split("."))
    return minor, patch


def _names(table: Mapping[str, Span], release: tuple[int, int] | None) -> frozenset[str]:
    if release is None:
        return frozenset()
    return frozenset(name for name, span in table.items() if span.contains(*release))


@pytest.mark.parametrize(("minor", "patch"), EVERY)
def test_each_release_enables_the_behaviors_of_its_sources(minor: int, patch: int) -> None:
    earlier = _before(minor, patch)
    before = _find_behaviors(*earlier) if earlier else frozenset[str]()

    listed = set(CHANGES.get(f"1.{minor}.{patch}", "").split())
    assert _changed_behaviors(_find_behaviors(minor, patch), before) == listed


@pytest.mark.parametrize(("minor", "patch"), EVERY)
def test_each_release_has_its_template_functions(minor: int, patch: int) -> None:
    table = release_spans.FUNCTIONS
    listed = _changed_behaviors(_names(table, (minor, patch)), _names(table, _before(minor, patch)))

    assert listed == set(FUNCTIONS.get(f"1.{minor}.{patch}", "").split())


# Fields of messages and members of enums: the releases from which on each is there, or absent. The
# releases were read by tests/oracle/istio/mesh_history.py, up to the newest one in it.
MESH_FIELDS: Mapping[str, str] = json.loads(
    (Path(__file__).parent / "data/mesh-fields.json").read_text(encoding="utf-8")
)
NEWEST_READ = (30, 3)


@pytest.mark.parametrize("name", [name for name, changes in MESH_FIELDS.items() if changes])
def test_each_release_has_the_fields_of_its_api(name: str) -> None:
    changes = [(word[0] == "+", _release(word[1:])) for word in MESH_FIELDS[name].split()]
    ends = [release for _, release in changes[1:]] + [(NEWEST_READ[0], NEWEST_READ[1] + 1)]

    for (is_there, first), end in zip(changes, ends, strict=True):
        wrong = [
            release
            for release in EVERY
            if first <= release < end and profile(*release).has_mesh_name(name) != is_there
        ]
        assert wrong == []


def test_every_mesh_name_of_the_table_was_read() -> None:
    names = {name.partition(" ")[0] for name in release_spans.MESH_FIELDS}

    assert names - MESH_FIELDS.keys() == set()


@pytest.mark.parametrize(
    ("minor", "type_"), [(6, "int32"), (7, "wrapperspb.Int32Value"), (31, "wrapperspb.Int32Value")]
)
def test_concurrency_became_a_message(minor: int, type_: str) -> None:
    fields = protojson.schema(profile(minor)).type(protojson.PROXY_CONFIG).fields

    assert [field.type for field in fields if field.name == "concurrency"] == [type_]


@pytest.mark.parametrize("release", BUILT_WITH)
def test_each_release_was_built_with_its_libraries(release: str) -> None:
    known = releases.parse_release(release)

    assert (known.kubernetes, known.sprig) == BUILT_WITH[release]


def test_every_behavior_is_listed() -> None:
    """A field without a row above would be a behavior that no one has read."""
    flags = set(Profile.__struct_fields__) - {"minor", "patch"}
    listed = {word[1:] for words in CHANGES.values() for word in words.split()}

    assert listed == flags


def test_a_release_of_every_row_is_supported() -> None:
    rows = {*CHANGES, *FUNCTIONS, *BUILT_WITH}

    assert {releases.parse_release(row).release for row in rows} == rows


RELEASES = (
    # text, the release that is followed
    ("1.28", "1.28.10"),
    ("1.28.0", "1.28.0"),
    ("1.28.6", "1.28.6"),
    ("v1.24.1", "1.24.1"),
    ("1.28.6-distroless", "1.28.6"),
    ("1.28.6-debug", "1.28.6"),
    ("1.28-distroless", "1.28.10"),
    ("1.28-latest", "1.28.10"),
    ("1.31.0-rc.0", "1.31.0"),
    ("1.29.0-beta.1", "1.29.0"),
    ("1.28-alpha.0", "1.28.0"),
    ("1.28-alpha.4f00e4f0ce", "1.28.0"),
    ("1.11.2-asm.17", "1.11.2"),
    ("1.11.2-asm.17-distroless", "1.11.2"),
    ("1.28.99", "1.28.10"),
    ("1.99", "1.32.0"),
    ("1.99.5", "1.32.0"),
    ("2.0", "1.32.0"),
    ("HEAD", "1.32.0"),
    ("1.0", "1.0.9"),
)


@pytest.mark.parametrize(("text", "release"), RELEASES)
def test_a_release_is_read_from_a_text(text: str, release: str) -> None:
    assert releases.parse_release(text).release == release


def test_a_release_has_one_profile() -> None:
    assert releases.parse_release("1.28") is releases.parse_release("1.28.10") is profile(28)


UNKNOWN = (
    ("0.8", '"0.8" is older than Istio 1.0'),
    ("new", f'invalid Istio release "new"; {RELEASE_REMEDY}'),
    ("1.28x", f'invalid Istio release "1.28x"; {RELEASE_REMEDY}'),
)


@pytest.mark.parametrize(("text", "message"), UNKNOWN)
def test_an_unknown_release_is_rejected(text: str, message: str) -> None:
    with pytest.raises(UnknownReleaseError) as caught:
        releases.parse_release(text)

    assert str(caught.value) == message


def test_numbers_are_converted_as_in_the_release_of_cast_that_go_mod_names() -> None:
    """data/cast.json has the release of spf13/cast of each tag's go.mod, up to 1.12 of go.sum."""
    path = Path(__file__).parent / "data/cast.json"
    releases_of_cast: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    for release, cast in releases_of_cast.items():
        expected = max((edge for edge in CASTS if _parse(edge) <= _parse(cast)), key=_parse)
        assert (release, parse_release(release).cast) == (release, expected)


def _parse(release: str) -> list[int]:
    return [int(number) for number in release.split(".")]
