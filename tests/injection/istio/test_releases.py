"""The table of releases, read against what the history of Istio's sources says."""

from __future__ import annotations

from dataclasses import fields

import pytest

from podgraft.injection.istio import releases
from podgraft.injection.istio.releases import KNOWN, NEWEST, Profile, UnknownReleaseError, profile

# What each minor release switches on (+) and off (-), against the known one before it.
CHANGES: dict[int, str] = {
    0: """
        +parent_shutdown +first_violation_only +signed_ports +kubernetes_defaults
        +by_hand_appends +status_version
    """,
    8: """
        +brace_delimiters +selectors +apps_v1 +by_hand_decides +skips_injected
        +path_environment +concurrency_two +zipkin_by_default +workload_data +proxy_annotation
        +annotation_in_mesh +labels_added +namespace_filled +checks_mesh_names
        -first_violation_only -signed_ports -kubernetes_defaults -by_hand_appends
        +remote_services_set +empty_collections_kept +enable_core_dump_checked
    """,
    9: """
        +named_by_kind +skips_by_status
        +pod_templates +four_ignored_namespaces +deployment_config_owner +short_job_suffixes
        +revision +estimated_concurrency +extension_providers +multus_duplicates
        +port_text_shown -remote_services_set -empty_collections_kept -annotation_in_mesh
        -labels_added -status_version
    """,
    10: "+env_paths",
    11: "+status_revision +cron_job_v1",
    12: "+inject_label +tcp_probes +tcp_probes_switch",
    13: "+grpc_probes +loose_prometheus_names +proxy_image",
    14: "+parsed_at_load",
    15: "+slash_paths",
    16: "+netip_cidrs",
    17: "+injected_names +probers_united -skips_injected -skips_by_status -parent_shutdown",
    18: "+merge_and_inbound_port_set -estimated_concurrency -concurrency_two",
    19: "+native_sidecars -tcp_probes_switch",
    20: "+proxy_ids",
    21: "+compliance_policy +bare_pod_owner",
    22: """
        +deployment_meta_names_only +rollout_owner +deployment_config_label_kept
        +cron_job_owner_v1 +image_variant +inbound_mode -zipkin_by_default
    """,
    23: "+adjusts_init_user",
    24: "+native_annotation +openshift_ids_cleared",
    25: "+lifecycle_probes +dns_auto_allocate_warned -enable_core_dump_checked",
    26: "+multus_namespaces",
    27: """
        +strict_inject_values +native_flag +missing_probers_added
        +openshift_sees_init_containers
    """,
    28: "",
    29: "+quantities_checked",
    30: "+interfaces_checked",
    31: "+proxy_init_image +image_type_falls_back +scrape_targets +checks_connection_settings",
    32: "+checks_inbound_retries",
}

# Istio's own template functions that come (+) and go (-).
FUNCTIONS: dict[int, str] = {
    0: "+formatDuration +isset",
    8: """
        +annotation +appendMultusNetwork +applicationPorts +contains +directory +env
        +excludeInboundPort +fromJSON +includeInboundPorts +indent +kubevirtInterfaces
        +protoToJSON +render +structToJSON +toJSON +toJson +toLower +toYaml +valueOrDefault
    """,
    14: "-render",
    15: "+excludeInterfaces",
    18: "+omit +strdict +toJsonMap",
    19: "-toJson",
    21: "+mergeMaps",
    30: "+omitNil +otelResourceAttributes",
}

# Fields of mesh messages (without the package) that come and go.
MESH_FIELDS: dict[int, str] = {
    0: """
        +ProxyConfig.connect_timeout +ProxyConfig.concurrency:int32
        +ProxyConfig.parent_shutdown_duration
    """,
    8: """
        +ProxyConfig.concurrency:wrapperspb.Int32Value -ProxyConfig.concurrency:int32
        -ProxyConfig.connect_timeout
    """,
    13: "+ProxyConfig.image",
    17: "-ProxyConfig.parent_shutdown_duration",
    20: "+ProxyConfig.proxy_headers",
    25: "+Tracing.enable_istio_tags +ProxyConfig_ProxyHeaders.preserve_http1_header_case",
    28: "+ProxyConfig_ProxyHeaders.x_forwarded_host +ProxyConfig_ProxyHeaders.x_forwarded_port",
    29: """
        +ProxyConfig.file_flush_interval +ProxyConfig.file_flush_min_size_kb
        +ProxyConfig.stats_compression
    """,
    31: """
        +ProxyConfig.connection_settings +MeshConfig.zone_aware_lb_setting
        +MeshConfig.default_traffic_policy +MeshConfig.service_entry_visibility
    """,
    32: "+MeshConfig.default_inbound_http_retry_policy",
}

# The Kubernetes types and sprig of each minor.
BUILT_WITH: dict[int, tuple[int, str]] = {
    0: (10, ""),
    8: (19, "3.1"),
    9: (20, "3.2"),
    13: (23, "3.2"),
    18: (27, "3.2"),
    19: (28, "3.2"),
    24: (31, "3.3"),
    25: (32, "3.3"),
    26: (32, "3.3"),
    27: (33, "3.3"),
    28: (34, "3.3"),
    29: (35, "3.3"),
    30: (35, "3.3"),
    31: (36, "3.3"),
    32: (36, "3.3"),
}


def _listed(on: frozenset[str], before: frozenset[str]) -> set[str]:
    return {f"+{name}" for name in on - before} | {f"-{name}" for name in before - on}


def _names(table: dict[str, range], minor: int) -> frozenset[str]:
    return frozenset(name for name, span in table.items() if minor in span)


@pytest.mark.parametrize("minor", KNOWN)
def test_each_minor_switches_on_what_its_sources_brought(minor: int) -> None:
    before = frozenset[str]() if not minor else profile(_previous(minor)).behaviours

    assert _listed(profile(minor).behaviours, before) == set(CHANGES[minor].split())


@pytest.mark.parametrize("minor", KNOWN)
def test_each_minor_has_its_template_functions(minor: int) -> None:
    now, before = (_names(dict(releases.FUNCTIONS), each) for each in (minor, _previous(minor)))

    assert _listed(now, before) == set(FUNCTIONS.get(minor, "").split())


@pytest.mark.parametrize("minor", KNOWN)
def test_each_minor_has_its_mesh_fields(minor: int) -> None:
    now, before = (_names(dict(releases.MESH_FIELDS), each) for each in (minor, _previous(minor)))
    listed = {name.replace("v1alpha1.", "").replace(" ", ":") for name in _listed(now, before)}

    assert listed == set(MESH_FIELDS.get(minor, "").split())


@pytest.mark.parametrize("minor", BUILT_WITH)
def test_each_minor_was_built_with_its_libraries(minor: int) -> None:
    known = profile(minor)

    assert (known.kubernetes, known.sprig) == BUILT_WITH[minor]


def test_every_behaviour_is_listed() -> None:
    """A field without a row above would be a behaviour nobody has read."""
    flags = {f.name for f in fields(Profile)} - {"minor"}
    listed = {word[1:] for words in CHANGES.values() for word in words.split()}

    assert listed == flags


RELEASES = (
    ("1.30", 30),
    ("1.30.3", 30),
    ("1.8", 8),
    ("1.0", 0),
    ("v1.24.1", 24),
    ("1.99", NEWEST),
    ("2.0", NEWEST),
)


@pytest.mark.parametrize(("text", "minor"), RELEASES)
def test_a_release_is_read_by_its_leading_numbers(text: str, minor: int) -> None:
    assert releases.parse(text).minor == minor


TAGS = (
    ("1.24.3", 24),
    ("1.13-distroless", 13),
    ("1.32-alpha.86c9f01f", 32),
    ("1.40.0", NEWEST),
    ("latest", NEWEST),
    ("", NEWEST),
    ("master-2026", NEWEST),
)


@pytest.mark.parametrize(("tag", "minor"), TAGS)
def test_a_tag_that_says_no_release_means_the_newest(tag: str, minor: int) -> None:
    assert releases.of_tag(tag).minor == minor


UNKNOWN = (
    ("1.5", "Istio 1.5 is not among the known releases: 1.0, 1.8 to 1.32 and newer"),
    ("0.8", '"0.8" is older than Istio 1.0'),
    ("new", '"new" is no Istio release; write MAJOR.MINOR, such as "1.30"'),
)


@pytest.mark.parametrize(("text", "message"), UNKNOWN)
def test_an_unknown_release_is_refused(text: str, message: str) -> None:
    with pytest.raises(UnknownReleaseError) as caught:
        releases.parse(text)

    assert str(caught.value) == message


def _previous(minor: int) -> int:
    return max((known for known in KNOWN if known < minor), default=-1)
