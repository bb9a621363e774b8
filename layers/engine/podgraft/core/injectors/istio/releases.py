"""What each Istio release does outside its templates: the one table of release differences.

``Profile`` has a field for each behavior that came or went between 1.0 and 1.32. Its declaration
names the minor from which all patches have the behavior and the first such patch of each earlier
minor (release_spans.py). No other module compares release numbers: they read the profile. Names and
libraries that came and went are in release_names.json.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, NamedTuple, TypeVar

from msgspec import Struct

from podgraft.core.policy import RELEASE_REMEDY

from .release_spans import CAST, FUNCTIONS, KUBERNETES, LATEST, MESH_FIELDS, SPRIG, Span, since

T = TypeVar("T")

OLDEST, NEWEST = 0, 32
HEAD = "HEAD"  # the newest behavior, also by this name

KNOWN: Final = tuple(LATEST)
# Minors without a release when their source was read: what was read instead.
UNRELEASED: Final = {NEWEST: "the master branch of August 2026"}


class UnknownReleaseError(ValueError):
    """The text names no release that is supported."""


def _since(all_from: str, *patches: str, until: tuple[str, ...] = ()) -> Any:
    """A behavior of a span of releases, which `_profile` replaces by whether a release is in it."""
    return since(all_from, *patches, until=until)


def _until(all_from: str, *patches: str) -> Any:
    """A behavior that ends with a release."""
    return _since("1.0", until=(all_from, *patches))


class Profile(Struct, frozen=True, kw_only=True, eq=False):
    """The behaviors of one release; ``profile`` makes each once, so identity is equality."""

    minor: int
    patch: int

    # Configuration
    brace_delimiters: bool = _since("1.2")  # {{ }} instead of [[ ]]
    pod_templates: bool = _since("1.9")  # `templates`, overlaid; before: one SidecarInjectionSpec
    parsed_at_load: bool = _since("1.14")  # every template must parse, not only those that run

    # Decision
    selectors: bool = _since("1.1")
    injected_annotations: bool = _since("1.4")
    four_ignored_namespaces: bool = _since("1.9")  # before: kube-system and kube-public
    inject_label: bool = _since("1.12")  # the label sidecar.istio.io/inject, over the annotation
    strict_inject_values: bool = _since("1.27")  # "true", "false" alone; other text is undecided

    # Request: URL path and the workload of the pod
    path_environment: bool = _since("1.7", "1.6.1")
    path_pairs: bool = _since("1.8")  # before: the end of the path, as /CLUSTER/net/NETWORK
    env_paths: bool = _since("1.10")  # the form :ENV:K=V
    slash_paths: bool = _since("1.15")  # --slash-- means /
    owner_lookup: bool = _since("1.3")  # before: every pod is its own workload
    cron_job_owner: bool = _since("1.8", "1.7.2", "1.6.10")
    any_replica_set: bool = _since("1.3", until=("1.8",))  # a Deployment's, even without a hash
    deployment_config_owner: bool = _since("1.13", "1.12.1")
    # The owner rule removes the label from the pod, too; later from a copy, then not at all.
    deployment_config_label_lost: bool = _since(
        "1.13", "1.12.1", until=("1.22", "1.21.1", "1.20.5", "1.19.9")
    )
    preserves_deployment_config_label: bool = _since("1.22")
    short_job_suffixes: bool = _since("1.13", "1.12.1", "1.11.5", "1.10.6")  # 8 to 10 digits
    cron_job_owner_v1: bool = _since("1.22")  # before: batch/v1beta1
    rollout_owner: bool = _since("1.22")
    deployment_meta_without_owners: bool = _since("1.11", until=("1.22",))
    deployment_meta_names_only: bool = _since("1.22")  # before: a complete ObjectMeta

    # kube-inject
    by_hand_decides: bool = _since("1.8")  # before: all but the host's network is injected
    named_by_kind: bool = _since("1.9")  # warnings contain kind and namespace
    by_hand_appends: bool = _until("1.8")  # removes nothing
    by_hand_adds_secrets: bool = _since("1.7", "1.6.3")
    by_hand_announces_metrics: bool = _since("1.7")
    by_hand_redirects: bool = _since("1.3", until=("1.8",))  # podRedirectAnnot
    by_hand_redirects_networks: bool = _since("1.7", "1.6.3", until=("1.8",))  # of the CNI
    skips_injected: bool = _since("1.2", until=("1.17",))
    skips_by_status: bool = _since("1.9", until=("1.17",))  # only those with a status annotation
    bare_pod_owner: bool = _since("1.21")

    # Template data
    workload_data: bool = _since("1.1")  # .DeploymentMeta
    values_data: bool = _since("1.2")  # .Values
    type_data: bool = _since("1.3")  # .TypeMeta
    revision: bool = _since("1.9")
    managed_fields_dropped: bool = _since("1.12", "1.11.2", "1.10.5")
    estimated_concurrency: bool = _since("1.10", until=("1.18",))
    proxy_image: bool = _since("1.13")
    compliance_policy: bool = _since("1.19")
    proxy_ids: bool = _since("1.20")
    inbound_mode: bool = _since("1.22")
    native_flag: bool = _since("1.27")  # .NativeSidecars; before, templates call env
    proxy_init_image: bool = _since("1.31")

    includes_udp_ports: bool = _since("1.1", "1.0.3", until=("1.4",))  # by includeInboundPorts

    typed_values: bool = _since("1.8")  # values of a wrong type are refused

    # Images
    image_variant: bool = _since("1.22")  # values global.variant
    image_type_falls_back: bool = _since("1.31")  # an empty imageType leaves the variant

    # Mesh configuration: layers, defaults and checks
    proxy_annotation: bool = _since("1.6")  # proxy.istio.io/config, with its own name in 1.6.0
    proxy_annotation_renamed: bool = _since("1.7", "1.6.1")
    annotation_after_rendering: bool = _since("1.8", until=("1.9",))  # for ports and metrics, too
    # The webhook merges layers; before, in every mode, the annotation is merged into the mesh.
    proxy_layers: bool = _since("1.13")
    merges_proxy_metadata: bool = _since("1.11", "1.10.3")  # proxyMetadata; before: replaced
    headers_fall_back: bool = _since("1.20", "1.19.1")  # sub-fields of proxyHeaders
    layers_as_messages: bool = _since("1.13", until=("1.18", "1.17.2", "1.16.4"))  # then as texts
    durations_replaced: bool = _since("1.16", "1.15.1", "1.14.5")
    image_replaced: bool = _since("1.15", "1.14.2")  # and ProxyConfig resources have an image
    hold_by_mesh: bool = _since("1.10", "1.9.1", "1.8.0")  # before: with the annotation only
    remote_services_set: bool = _since("1.3", until=("1.9",))  # empty envoyMetricsService, ...
    parent_shutdown: bool = _until("1.17")
    # 1.0 has the check, but its own tests use a mesh that would not pass it.
    parent_shutdown_checked: bool = _since("1.8", until=("1.17",))
    slow_dns_refresh: bool = _since("1.14")  # a minute; before: 5 seconds
    concurrency_two: bool = _since("1.6", until=("1.18",))
    merge_and_inbound_port_set: bool = _since("1.18")
    zipkin_by_default: bool = _since("1.6", until=("1.22",))
    istiod_defaults: bool = _since("1.6")  # before: those of Pilot
    mutual_tls_by_default: bool = _since("1.7")
    protocol_detection_timeout: bool = _since("1.3", until=("1.6",))
    sds_path_by_default: bool = _since("1.6", until=("1.8",))
    prints_changes_only: bool = _since("1.6")  # protoToJSON, of a ProxyConfig
    extension_providers: bool = _since("1.12")
    prints_empty_collections: bool = _since("1.8", until=("1.9",))  # `proxyMetadata: {}` prints {}
    zipkin_host_ip: bool = _since("1.9", "1.8.2")  # $(HOST_IP) in the address
    nil_tags_refused: bool = _since("1.14", "1.13.3", until=("1.14",))  # then null reads as {}
    status_port_checked: bool = _since("1.11")
    drain_times_limited: bool = _until("1.22")  # to an hour
    connect_timeout_short: bool = _until("1.22", "1.21.2", "1.20.6")  # 30 seconds; then an hour
    config_map_credentials: bool = _since("1.26")  # configmap:// in TLS settings
    checks_mesh_names: bool = _since("1.8")  # trustDomain, its aliases, hosts of serviceSettings
    checks_connection_settings: bool = _since("1.31")
    checks_inbound_retries: bool = _since("1.32")

    # Annotation checks
    first_violation_only: bool = _until("1.1", "1.0.3")
    signed_ports: bool = _until("1.1", "1.0.3")  # 16 bits with a sign, blanks not trimmed
    early_violations: bool = _until("1.2")  # another text
    none_intercepts: bool = _since("1.1")  # interceptionMode NONE
    readiness_checked: bool = _since("1.1", "1.0.3")
    readiness_ports_checked: bool = _since("1.1", "1.0.3", until=("1.5",))
    outbound_ports_checked: bool = _since("1.2")
    prints_port_text: bool = _since("1.9")  # before: the parsed number, 0
    enable_core_dump_checked: bool = _since("1.5", until=("1.25",))
    netip_cidrs: bool = _since("1.16")  # before: net.ParseCIDR
    dns_auto_allocate_warned: bool = _since("1.25")
    quantities_checked: bool = _since("1.29", "1.28.4", "1.27.6")
    interfaces_checked: bool = _since("1.30")

    # What a SidecarInjectionSpec is turned into
    kubernetes_defaults: bool = _until("1.1")  # additions have what the API server would fill in
    labels_added: bool = _since("1.4", until=("1.9",))
    canonical_labels: bool = _since("1.5")
    revision_label: bool = _since("1.6")
    network_label: bool = _since("1.8")
    namespace_filled: bool = _since("1.1")
    validation_first: bool = _since("1.6")  # the container istio-validation
    hold_application: bool = _since("1.7")
    cluster_of_values: bool = _since("1.8")  # before: of the URL's path alone
    fs_group_by_sds: bool = _since("1.1", until=("1.8",))  # sdsUdsPath; then a switch
    fs_group_by_token_mount: bool = _until("1.3")  # with enableSdsTokenMount only
    fs_group_replaces: bool = _until("1.5", "1.4.5")  # the whole security context of the pod

    # Native sidecars and OpenShift
    native_sidecars: bool = _since("1.19")
    native_annotation: bool = _since("1.24")
    openshift_ids_cleared: bool = _since("1.24", "1.23.1")
    openshift_sees_init_containers: bool = _since("1.27")

    # Overrides
    injected_names: bool = _since("1.17")  # what an earlier injection wrote is no override
    resets_overridden_ids: bool = _since(  # of a container that the template runs as another user
        "1.21", "1.20.1", until=("1.23", "1.22.1", "1.21.3", "1.20.7")
    )
    adjusts_init_user: bool = _since("1.23", "1.22.1", "1.21.3", "1.20.7")

    # Multus
    multus_duplicates: bool = _since("1.9")
    multus_namespaces: bool = _since("1.26", "1.25.1", "1.24.4", "1.23.6")

    # Probes
    probe_annotation: bool = _since("1.2")  # and an HTTPS probe asks the agent by HTTP
    copies_complete_probes: bool = _since("1.5")  # before: httpGet, in the patch and variable
    agent_port_in_mesh: bool = _since("1.6")  # before: --statusPort among the sidecar's arguments
    probes_first: bool = _since("1.8", "1.7.1")  # in the patch; before: last
    startup_probes: bool = _since("1.7")
    empty_probers_left_out: bool = _since("1.8")
    tcp_probes: bool = _since("1.12")
    tcp_probes_switch: bool = _since("1.12", until=("1.19",))  # REWRITE_TCP_PROBES
    grpc_probes: bool = _since("1.13")
    merges_probers: bool = _since("1.17")
    lifecycle_probes: bool = _since("1.25")
    missing_probers_added: bool = _since("1.27")  # also to a pod that was injected without

    # Prometheus
    metrics_merged: bool = _since("1.6")
    loose_prometheus_names: bool = _since("1.13")
    scrape_targets: bool = _since("1.31")

    # Status
    status_version: bool = _until("1.9")  # a hash of the template
    status_revision: bool = _since("1.11")

    @property
    def release(self) -> str:
        """MAJOR.MINOR.PATCH."""
        return f"1.{self.minor}.{self.patch}"

    @property
    def kubernetes(self) -> int:
        """The minor of the Kubernetes types that the release was built with."""
        return self._last(KUBERNETES)

    @property
    def sprig(self) -> str:
        """The release of sprig's functions that templates can call, or ``""`` for none."""
        return self._last(SPRIG)

    @property
    def cast(self) -> str:
        """The release of cast with which sprig's functions convert numbers."""
        return self._last(CAST)

    def has_function(self, name: str) -> bool:
        """Whether templates can call a function of Istio's."""
        return self._has(name, FUNCTIONS)

    def has_mesh_name(self, name: str) -> bool:
        """Whether the mesh messages have a field, a type of a field, or a member of an enum."""
        return self._has(name, MESH_FIELDS)

    def _has(self, name: str, table: Mapping[str, Span]) -> bool:
        """Whether this release has what ``table`` lists; what it does not list, all have."""
        span = table.get(name)
        return span is None or span.contains(self.minor, self.patch)

    def _last(self, table: Mapping[T, Span]) -> T:
        return [key for key, span in table.items() if span.contains(self.minor, self.patch)][-1]


def profile(minor: int, patch: int | None = None) -> Profile:
    """The profile of Istio 1.``minor``.``patch``, without a patch that of the latest one.

    A release newer than the latest patch, or than the newest minor, has the profile of that.
    Raises ``UnknownReleaseError`` between the supported minors.
    """
    latest = LATEST.get(min(minor, NEWEST))
    if latest is None:
        raise UnknownReleaseError(
            f"Istio 1.{minor} is unsupported; the supported releases are 1.0 to 1.{NEWEST}, "
            "and newer"
        )
    if minor > NEWEST or patch is None:
        patch = latest
    return _profile(min(minor, NEWEST), min(patch, latest))


@cache
def _profile(minor: int, patch: int) -> Profile:
    spans: tuple[Span, ...] = Profile.__struct_defaults__
    names = Profile.__struct_fields__[-len(spans) :]  # those without a default come first
    flags = {name: span.contains(minor, patch) for name, span in zip(names, spans, strict=True)}
    return Profile(minor=minor, patch=patch, **flags)


def newest() -> Profile:
    """The profile for an unknown release."""
    return profile(NEWEST)


class ReleaseName(NamedTuple):
    """A release as ``text`` names it; ``patch`` is missing if the text means the latest one."""

    text: str
    major: int
    minor: int
    patch: int | None
    suffix: str

    @property
    def is_newer(self) -> bool:
        """Whether no profile is as new as the release."""
        latest = LATEST.get(self.minor, self.patch or 0)
        return (self.major, self.minor) > (1, NEWEST) or (self.patch or 0) > latest

    @property
    def is_vendors(self) -> bool:
        """Whether the text has more than Istio's own releases and image variants have."""
        return _OWN_SUFFIX.fullmatch(self.suffix) is None


def parse_name(text: str) -> ReleaseName | None:
    """The release that a text starts with: ``1.28``, ``1.28.6-distroless``, ``1.29.0-beta.1``.

    A pre-release counts as the first release of its minor, because no later fix is in it.
    """
    match = _RELEASE.match(text)
    if match is None:
        return None
    major, minor, patch, suffix = match.groups()
    if patch is None and _PRE_RELEASE.match(suffix):
        patch = "0"
    return ReleaseName(text, int(major), int(minor), None if patch is None else int(patch), suffix)


def parse_release(text: str) -> Profile:
    """The profile of the release that ``text`` names; raises ``UnknownReleaseError``.

    >>> [parse_release(text).release for text in ("1.28.6-distroless", "1.28-alpha.0", "1.28")]
    ['1.28.6', '1.28.0', '1.28.10']
    """
    if text == HEAD:
        return newest()
    release = parse_name(text)
    if release is None:
        raise UnknownReleaseError(f'invalid Istio release "{text}"; {RELEASE_REMEDY}')
    if release.major == 0:
        raise UnknownReleaseError(f'"{text}" is older than Istio 1.0')
    return newest() if release.major > 1 else profile(release.minor, release.patch)


def is_newer(text: str) -> bool:
    """Whether ``text`` names a release that is newer than all supported ones."""
    name = parse_name(text)
    return name is not None and name.is_newer


_RELEASE = re.compile(r"v?([0-9]{1,4})\.([0-9]{1,4})(?:\.([0-9]{1,4}))?((?![0-9A-Za-z]).*)")
_PRE_RELEASE = re.compile("-(?:alpha|beta|rc)(?![A-Za-z])")
_OWN_SUFFIX = re.compile(r"(?:-(?:alpha|beta|rc)\.[0-9a-f]+)?(?:-(?:distroless|debug|latest))?")
