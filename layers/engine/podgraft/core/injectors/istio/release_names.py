"""Names and libraries that came and went with Istio releases.

Functions and fields of template data that came with a patch are in the table for the whole minor:
a patch without them would refuse the template, and no pod would be different. Fields of messages
are exact, because a release ignores a field that it does not have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .release_spans import Span, since

# Template functions of Istio's own; all others are in every release.
FUNCTIONS: Final[Mapping[str, Span]] = {
    "formatDuration": since("1.0"),
    "isset": since("1.0"),
    "annotation": since("1.1", "1.0.3"),
    "applicationPorts": since("1.1", "1.0.3"),
    "excludeInboundPort": since("1.1", "1.0.3"),
    "includeInboundPorts": since("1.1", "1.0.3"),
    "toJson": since("1.1", "1.0.3", until=("1.19",)),
    "directory": since("1.1"),
    "fromJSON": since("1.1"),
    "indent": since("1.1"),
    "kubevirtInterfaces": since("1.1"),
    "toJSON": since("1.1"),
    "toYaml": since("1.1"),
    "valueOrDefault": since("1.1"),
    "contains": since("1.2"),
    "render": since("1.2", until=("1.14",)),
    "structToJSON": since("1.3"),
    "toLower": since("1.3"),
    "protoToJSON": since("1.4"),
    "env": since("1.5"),
    "appendMultusNetwork": since("1.8"),
    "excludeInterfaces": since("1.15"),
    "omit": since("1.18"),
    "strdict": since("1.18"),
    "toJsonMap": since("1.18"),
    "mergeMaps": since("1.21"),
    "omitNil": since("1.28"),
    "otelResourceAttributes": since("1.30"),
}

# Fields of Istio's mesh messages; all others are in every release.
MESH_FIELDS: Final[Mapping[str, Span]] = {
    "v1alpha1.MeshConfig.sds_uds_path": since("1.0", until=("1.8",)),
    "v1alpha1.MeshConfig.enable_sds_token_mount": since("1.1", until=("1.8",)),
    "v1alpha1.Tracing_Lightstep.secure": since("1.0", until=("1.8",)),
    "v1alpha1.Tracing_Lightstep.cacert_path": since("1.0", until=("1.8",)),
    "v1alpha1.ProxyConfig.connect_timeout": since("1.0", until=("1.6",)),
    "v1alpha1.ProxyConfig.concurrency int32": since("1.0", until=("1.7",)),
    "v1alpha1.ProxyConfig.concurrency wrapperspb.Int32Value": since("1.7"),
    "v1alpha1.ProxyConfig.status_port": since("1.6"),
    "v1alpha1.ProxyConfig.termination_drain_duration": since("1.7"),
    "v1alpha1.ProxyConfig.hold_application_until_proxy_starts": since("1.8"),
    "v1alpha1.ProxyConfig.parent_shutdown_duration": since("1.0", until=("1.17",)),
    "v1alpha1.MeshConfig.path_normalization": since("1.10", "1.9.5", "1.8.6"),
    "v1alpha1.MeshConfig.ca_certificates": since("1.10", "1.9.1"),
    "v1alpha1.ProxyConfig.ca_certificates_pem": since("1.10", "1.9.1"),
    "v1alpha1.ProxyConfig.image": since("1.13", "1.12.1"),
    "v1alpha1.ProxyConfig.tracing_service_name": since("1.13"),
    "v1alpha1.ProxyConfig.runtime_values": since("1.14"),
    "v1alpha1.ProxyConfig_InboundInterceptionMode.NONE": since("1.14"),
    "v1alpha1.ProxyConfig.private_key_provider": since("1.14"),
    "v1alpha1.PrivateKeyProvider.qat": since("1.17"),
    "v1alpha1.PrivateKeyProvider_CryptoMb.fallback": since("1.21"),
    "v1alpha1.PrivateKeyProvider_QAT.fallback": since("1.21"),
    "v1alpha1.ProxyConfig.proxy_headers": since("1.19"),
    "v1alpha1.ProxyConfig_ProxyHeaders.metadata_exchange_headers": since("1.20", "1.19.1"),
    "v1alpha1.ProxyConfig_ProxyHeaders.set_current_client_cert_details": since("1.24"),
    "v1alpha1.Tracing.enable_istio_tags": since("1.25"),
    "v1alpha1.ProxyConfig_ProxyHeaders.preserve_http1_header_case": since("1.25"),
    "v1alpha1.ProxyConfig_ProxyHeaders.x_forwarded_host": since("1.28"),
    "v1alpha1.ProxyConfig_ProxyHeaders.x_forwarded_port": since("1.28"),
    "v1alpha1.ProxyConfig.file_flush_interval": since("1.29"),
    "v1alpha1.ProxyConfig.file_flush_min_size_kb": since("1.29"),
    "v1alpha1.ProxyConfig.stats_compression": since("1.29"),
    "v1alpha1.ProxyConfig.connection_settings": since("1.31"),
    "v1alpha1.MeshConfig.zone_aware_lb_setting": since("1.31"),
    "v1alpha1.MeshConfig.default_traffic_policy": since("1.31"),
    "v1alpha1.MeshConfig.service_entry_visibility": since("1.31"),
    "v1alpha1.MeshConfig.default_inbound_http_retry_policy": since("1.32"),
}

# The Kubernetes types (k8s.io/api 0.N) that releases were built with, and from when on; a field
# that those types lack is dropped.
KUBERNETES: Final[Mapping[int, Span]] = {
    10: since("1.0"),
    11: since("1.1"),
    13: since("1.2"),
    16: since("1.4"),
    17: since("1.5"),
    18: since("1.6"),
    19: since("1.8"),
    20: since("1.9"),
    21: since("1.11"),
    22: since("1.12"),
    23: since("1.13"),
    24: since("1.15", "1.14.5", "1.13.9"),
    25: since("1.16"),
    26: since("1.17"),
    27: since("1.18"),
    28: since("1.19"),
    29: since("1.21"),
    30: since("1.22"),
    31: since("1.24"),
    32: since("1.25"),
    33: since("1.27", "1.26.4"),
    34: since("1.28"),
    35: since("1.29"),
    36: since("1.31"),
}

# The release of sprig whose functions templates can call; 1.0 has none.
SPRIG: Final[Mapping[str, Span]] = {
    "": since("1.0"),
    "3.1": since("1.8"),
    "3.2": since("1.9"),
    "3.3": since("1.24"),
}

# The release of spf13/cast from which sprig's conversion of numbers is the same
# (golang/sprig/cast.py).
CAST: Final[Mapping[str, Span]] = {
    "1.3": since("1.0"),
    "1.5": since("1.15"),
    "1.10": since("1.30", "1.29.2", "1.28.8"),
}
