"""Istio's mesh messages; written by tools/generate/mesh_types.py, not by hand."""
# ruff: noqa: E501 (some of Go's names are longer than a line)

# An enum by its Go name: its members, as NAME=NUMBER.
ENUMS = {
    "v1alpha1.AuthenticationPolicy": "NONE=0 MUTUAL_TLS=1 INHERIT=1000",
    "v1alpha1.ForwardClientCertDetails": "UNDEFINED=0 SANITIZE=1 FORWARD_ONLY=2 APPEND_FORWARD=3 SANITIZE_SET=4 ALWAYS_FORWARD_ONLY=5",
    "v1alpha1.MeshConfig_AccessLogEncoding": "TEXT=0 JSON=1",
    "v1alpha1.MeshConfig_ExtensionProvider_OpenCensusAgentTracingProvider_TraceContext": "UNSPECIFIED=0 W3C_TRACE_CONTEXT=1 GRPC_BIN=2 CLOUD_TRACE_CONTEXT=3 B3=4",
    "v1alpha1.MeshConfig_ExtensionProvider_ServiceAttributeEnrichment": "ISTIO_CANONICAL=0 OTEL_SEMANTIC_CONVENTIONS=1",
    "v1alpha1.MeshConfig_ExtensionProvider_ZipkinTracingProvider_TraceContextOption": "USE_B3=0 USE_B3_WITH_W3C_PROPAGATION=1",
    "v1alpha1.MeshConfig_H2UpgradePolicy": "DO_NOT_UPGRADE=0 UPGRADE=1",
    "v1alpha1.MeshConfig_InboundTrafficPolicy_Mode": "PASSTHROUGH=0 LOCALHOST=1",
    "v1alpha1.MeshConfig_IngressControllerMode": "UNSPECIFIED=0 OFF=1 DEFAULT=2 STRICT=3",
    "v1alpha1.MeshConfig_OutboundTrafficPolicy_Mode": "REGISTRY_ONLY=0 ALLOW_ANY=1 ALLOW_ANY_DYNAMIC_DNS=3",
    "v1alpha1.MeshConfig_ProxyPathNormalization_NormalizationType": "DEFAULT=0 NONE=1 BASE=2 MERGE_SLASHES=3 DECODE_AND_MERGE_SLASHES=4",
    "v1alpha1.MeshConfig_ServiceScopeConfigs_Scope": "LOCAL=0 GLOBAL=1",
    "v1alpha1.MeshConfig_TLSConfig_TLSProtocol": "TLS_AUTO=0 TLSV1_2=1 TLSV1_3=2",
    "v1alpha1.ProxyConfig_ConnectionSettings_HeadersWithUnderscoresAction": "HEADERS_WITH_UNDERSCORES_UNSPECIFIED=0 HEADERS_WITH_UNDERSCORES_ALLOW=1 HEADERS_WITH_UNDERSCORES_REJECT_REQUEST=2 HEADERS_WITH_UNDERSCORES_DROP_HEADER=3",
    "v1alpha1.ProxyConfig_ConnectionSettings_PathWithEscapedSlashesAction": "PATH_WITH_ESCAPED_SLASHES_UNSPECIFIED=0 KEEP_UNCHANGED=1 REJECT_REQUEST=2 UNESCAPE_AND_REDIRECT=3 UNESCAPE_AND_FORWARD=4",
    "v1alpha1.ProxyConfig_ConnectionSettings_Profile": "SIDECAR=0 EDGE=1",
    "v1alpha1.ProxyConfig_InboundInterceptionMode": "REDIRECT=0 TPROXY=1 NONE=2",
    "v1alpha1.ProxyConfig_ProxyHeaders_MetadataExchangeMode": "UNDEFINED=0 IN_MESH=1",
    "v1alpha1.ProxyConfig_TracingServiceName": "APP_LABEL_AND_NAMESPACE=0 CANONICAL_NAME_ONLY=1 CANONICAL_NAME_AND_NAMESPACE=2",
    "v1alpha1.Resource": "SERVICE_REGISTRY=0",
    "v1alpha1.ServiceEntryVisibility_Visibility": "VISIBILITY_UNSPECIFIED=0 NONE=1 NAMESPACE=2 PUBLIC=3",
    "v1alpha1.Tracing_OpenCensusAgent_TraceContext": "UNSPECIFIED=0 W3C_TRACE_CONTEXT=1 GRPC_BIN=2 CLOUD_TRACE_CONTEXT=3 B3=4",
    "v1alpha3.ClientTLSSettings_TLSmode": "DISABLE=0 SIMPLE=1 MUTUAL=2 ISTIO_MUTUAL=3",
    "v1alpha3.ConnectionPoolSettings_HTTPSettings_H2UpgradePolicy": "DEFAULT=0 DO_NOT_UPGRADE=1 UPGRADE=2",
}

# A message by its Go name: a line a field, in declaration order: proto name, type, oneof.
MESSAGES = {
    "v1alpha1.MeshConfig": """
proxy_listen_port int32
proxy_inbound_listen_port int32
proxy_http_port int32
connect_timeout durationpb.Duration
hbone_idle_timeout durationpb.Duration
protocol_detection_timeout durationpb.Duration
tcp_keepalive v1alpha3.ConnectionPoolSettings_TCPSettings_TcpKeepalive
ingress_class string
ingress_service string
ingress_controller_mode v1alpha1.MeshConfig_IngressControllerMode
ingress_selector string
enable_tracing bool
access_log_file string
access_log_format string
access_log_encoding v1alpha1.MeshConfig_AccessLogEncoding
enable_envoy_access_log_service bool
disable_envoy_listener_log bool
default_config v1alpha1.ProxyConfig
sds_uds_path string
enable_sds_token_mount bool
outbound_traffic_policy v1alpha1.MeshConfig_OutboundTrafficPolicy
inbound_traffic_policy v1alpha1.MeshConfig_InboundTrafficPolicy
config_sources []v1alpha1.ConfigSource
enable_auto_mtls wrapperspb.BoolValue
trust_domain string
trust_domain_aliases []string
ca_certificates []v1alpha1.MeshConfig_CertificateData
default_service_export_to []string
default_virtual_service_export_to []string
default_destination_rule_export_to []string
root_namespace string
locality_lb_setting v1alpha3.LocalityLoadBalancerSetting
zone_aware_lb_setting v1alpha3.ZoneAwareLoadBalancerSetting
dns_refresh_rate durationpb.Duration
h2_upgrade_policy v1alpha1.MeshConfig_H2UpgradePolicy
inbound_cluster_stat_name string
outbound_cluster_stat_name string
certificates []v1alpha1.Certificate
service_settings []v1alpha1.MeshConfig_ServiceSettings
service_scope_configs []v1alpha1.MeshConfig_ServiceScopeConfigs
enable_prometheus_merge wrapperspb.BoolValue
verify_certificate_at_client wrapperspb.BoolValue
ca v1alpha1.MeshConfig_CA
extension_providers []v1alpha1.MeshConfig_ExtensionProvider
default_providers v1alpha1.MeshConfig_DefaultProviders
discovery_selectors []v1alpha1.LabelSelector
path_normalization v1alpha1.MeshConfig_ProxyPathNormalization
default_http_retry_policy v1alpha3.HTTPRetry
default_inbound_http_retry_policy v1alpha3.HTTPRetry
mesh_mTLS v1alpha1.MeshConfig_TLSConfig
tls_defaults v1alpha1.MeshConfig_TLSConfig
default_traffic_policy v1alpha1.MeshConfig_DefaultTrafficPolicy
service_entry_visibility v1alpha1.ServiceEntryVisibility
""",
    "v1alpha3.ConnectionPoolSettings_TCPSettings_TcpKeepalive": """
probes uint32
time durationpb.Duration
interval durationpb.Duration
""",
    "v1alpha1.ProxyConfig": """
config_path string
binary_path string
service_cluster string cluster_name
tracing_service_name v1alpha1.ProxyConfig_TracingServiceName cluster_name
drain_duration durationpb.Duration
parent_shutdown_duration durationpb.Duration
discovery_address string
discovery_refresh_delay durationpb.Duration
zipkin_address string
connect_timeout durationpb.Duration
statsd_udp_address string
envoy_metrics_service_address string
proxy_admin_port int32
availability_zone string
control_plane_auth_policy v1alpha1.AuthenticationPolicy
custom_config_file string
stat_name_length int32
concurrency int32
concurrency wrapperspb.Int32Value
proxy_bootstrap_template_path string
interception_mode v1alpha1.ProxyConfig_InboundInterceptionMode
tracing v1alpha1.Tracing
sds v1alpha1.SDS
envoy_access_log_service v1alpha1.RemoteService
envoy_metrics_service v1alpha1.RemoteService
proxy_metadata map[string]string
runtime_values map[string]string
status_port int32
extra_stat_tags []string
gateway_topology v1alpha1.Topology
termination_drain_duration durationpb.Duration
mesh_id string
readiness_probe v1alpha3.ReadinessProbe
proxy_stats_matcher v1alpha1.ProxyConfig_ProxyStatsMatcher
hold_application_until_proxy_starts wrapperspb.BoolValue
ca_certificates_pem []string
image v1beta1.ProxyImage
private_key_provider v1alpha1.PrivateKeyProvider
proxy_headers v1alpha1.ProxyConfig_ProxyHeaders
file_flush_interval durationpb.Duration
file_flush_min_size_kb uint32
stats_compression wrapperspb.BoolValue
connection_settings v1alpha1.ProxyConfig_ConnectionSettings
""",
    "v1alpha1.Tracing": """
zipkin v1alpha1.Tracing_Zipkin tracer
lightstep v1alpha1.Tracing_Lightstep tracer
datadog v1alpha1.Tracing_Datadog tracer
stackdriver v1alpha1.Tracing_Stackdriver tracer
open_census_agent v1alpha1.Tracing_OpenCensusAgent tracer
custom_tags map[string]v1alpha1.Tracing_CustomTag
max_path_tag_length uint32
sampling double
tls_settings v1alpha3.ClientTLSSettings
enable_istio_tags wrapperspb.BoolValue
""",
    "v1alpha1.Tracing_Zipkin": """
address string
""",
    "v1alpha1.Tracing_Lightstep": """
address string
access_token string
secure bool
cacert_path string
""",
    "v1alpha1.Tracing_Datadog": """
address string
""",
    "v1alpha1.Tracing_Stackdriver": """
debug bool
max_number_of_attributes wrapperspb.Int64Value
max_number_of_annotations wrapperspb.Int64Value
max_number_of_message_events wrapperspb.Int64Value
""",
    "v1alpha1.Tracing_OpenCensusAgent": """
address string
context []v1alpha1.Tracing_OpenCensusAgent_TraceContext
""",
    "v1alpha1.Tracing_CustomTag": """
literal v1alpha1.Tracing_Literal type
environment v1alpha1.Tracing_Environment type
header v1alpha1.Tracing_RequestHeader type
""",
    "v1alpha1.Tracing_Literal": """
value string
""",
    "v1alpha1.Tracing_Environment": """
name string
default_value string
""",
    "v1alpha1.Tracing_RequestHeader": """
name string
default_value string
""",
    "v1alpha3.ClientTLSSettings": """
mode v1alpha3.ClientTLSSettings_TLSmode
client_certificate string
private_key string
ca_certificates string
credential_name string
subject_alt_names []string
sni string
insecure_skip_verify wrapperspb.BoolValue
ca_crl string
""",
    "v1alpha1.SDS": """
enabled bool
k8s_sa_jwt_path string
""",
    "v1alpha1.RemoteService": """
address string
tls_settings v1alpha3.ClientTLSSettings
tcp_keepalive v1alpha3.ConnectionPoolSettings_TCPSettings_TcpKeepalive
""",
    "v1alpha1.Topology": """
num_trusted_proxies uint32
forward_client_cert_details v1alpha1.ForwardClientCertDetails
proxy_protocol v1alpha1.Topology_ProxyProtocolConfiguration
""",
    "v1alpha1.Topology_ProxyProtocolConfiguration": """
""",
    "v1alpha3.ReadinessProbe": """
initial_delay_seconds int32
timeout_seconds int32
period_seconds int32
success_threshold int32
failure_threshold int32
http_get v1alpha3.HTTPHealthCheckConfig health_check_method
tcp_socket v1alpha3.TCPHealthCheckConfig health_check_method
exec v1alpha3.ExecHealthCheckConfig health_check_method
grpc v1alpha3.GrpcHealthCheckConfig health_check_method
""",
    "v1alpha3.HTTPHealthCheckConfig": """
path string
port uint32
host string
scheme string
http_headers []v1alpha3.HTTPHeader
""",
    "v1alpha3.HTTPHeader": """
name string
value string
""",
    "v1alpha3.TCPHealthCheckConfig": """
host string
port uint32
""",
    "v1alpha3.ExecHealthCheckConfig": """
command []string
""",
    "v1alpha3.GrpcHealthCheckConfig": """
port uint32
service string
""",
    "v1alpha1.ProxyConfig_ProxyStatsMatcher": """
inclusion_prefixes []string
inclusion_suffixes []string
inclusion_regexps []string
""",
    "v1beta1.ProxyImage": """
image_type string
""",
    "v1alpha1.PrivateKeyProvider": """
cryptomb v1alpha1.PrivateKeyProvider_CryptoMb provider
qat v1alpha1.PrivateKeyProvider_QAT provider
""",
    "v1alpha1.PrivateKeyProvider_CryptoMb": """
poll_delay durationpb.Duration
fallback wrapperspb.BoolValue
""",
    "v1alpha1.PrivateKeyProvider_QAT": """
poll_delay durationpb.Duration
fallback wrapperspb.BoolValue
""",
    "v1alpha1.ProxyConfig_ProxyHeaders": """
forwarded_client_cert v1alpha1.ForwardClientCertDetails
set_current_client_cert_details v1alpha1.ProxyConfig_ProxyHeaders_SetCurrentClientCertDetails
request_id v1alpha1.ProxyConfig_ProxyHeaders_RequestId
server v1alpha1.ProxyConfig_ProxyHeaders_Server
attempt_count v1alpha1.ProxyConfig_ProxyHeaders_AttemptCount
envoy_debug_headers v1alpha1.ProxyConfig_ProxyHeaders_EnvoyDebugHeaders
metadata_exchange_headers v1alpha1.ProxyConfig_ProxyHeaders_MetadataExchangeHeaders
preserve_http1_header_case wrapperspb.BoolValue
x_forwarded_host v1alpha1.ProxyConfig_ProxyHeaders_XForwardedHost
x_forwarded_port v1alpha1.ProxyConfig_ProxyHeaders_XForwardedPort
""",
    "v1alpha1.ProxyConfig_ProxyHeaders_SetCurrentClientCertDetails": """
subject wrapperspb.BoolValue
cert wrapperspb.BoolValue
chain wrapperspb.BoolValue
dns wrapperspb.BoolValue
uri wrapperspb.BoolValue
""",
    "v1alpha1.ProxyConfig_ProxyHeaders_RequestId": """
disabled wrapperspb.BoolValue
""",
    "v1alpha1.ProxyConfig_ProxyHeaders_Server": """
disabled wrapperspb.BoolValue
value string
""",
    "v1alpha1.ProxyConfig_ProxyHeaders_AttemptCount": """
disabled wrapperspb.BoolValue
""",
    "v1alpha1.ProxyConfig_ProxyHeaders_EnvoyDebugHeaders": """
disabled wrapperspb.BoolValue
""",
    "v1alpha1.ProxyConfig_ProxyHeaders_MetadataExchangeHeaders": """
mode v1alpha1.ProxyConfig_ProxyHeaders_MetadataExchangeMode
""",
    "v1alpha1.ProxyConfig_ProxyHeaders_XForwardedHost": """
enabled wrapperspb.BoolValue
""",
    "v1alpha1.ProxyConfig_ProxyHeaders_XForwardedPort": """
enabled wrapperspb.BoolValue
""",
    "v1alpha1.ProxyConfig_ConnectionSettings": """
profile v1alpha1.ProxyConfig_ConnectionSettings_Profile
listener_per_connection_buffer_limit_bytes wrapperspb.Int32Value
cluster_per_connection_buffer_limit_bytes wrapperspb.Int32Value
http_idle_timeout durationpb.Duration
http_max_connection_duration durationpb.Duration
http_drain_timeout durationpb.Duration
http_request_timeout durationpb.Duration
http_request_headers_timeout durationpb.Duration
http_stream_idle_timeout durationpb.Duration
http_max_stream_duration durationpb.Duration
http_max_concurrent_streams wrapperspb.Int32Value
http2_initial_stream_window_size wrapperspb.Int32Value
http2_initial_connection_window_size wrapperspb.Int32Value
http_headers_with_underscores_action v1alpha1.ProxyConfig_ConnectionSettings_HeadersWithUnderscoresAction
http_merge_slashes wrapperspb.BoolValue
http_path_with_escaped_slashes_action v1alpha1.ProxyConfig_ConnectionSettings_PathWithEscapedSlashesAction
listener_connection_limit wrapperspb.Int32Value
global_downstream_connection_limit wrapperspb.Int32Value
""",
    "v1alpha1.MeshConfig_OutboundTrafficPolicy": """
mode v1alpha1.MeshConfig_OutboundTrafficPolicy_Mode
tls v1alpha3.ClientTLSSettings
""",
    "v1alpha1.MeshConfig_InboundTrafficPolicy": """
mode v1alpha1.MeshConfig_InboundTrafficPolicy_Mode
""",
    "v1alpha1.ConfigSource": """
address string
tls_settings v1alpha3.ClientTLSSettings
subscribed_resources []v1alpha1.Resource
""",
    "v1alpha1.MeshConfig_CertificateData": """
pem string certificate_data
spiffe_bundle_url string certificate_data
cert_signers []string
trust_domains []string
""",
    "v1alpha3.LocalityLoadBalancerSetting": """
distribute []v1alpha3.LocalityLoadBalancerSetting_Distribute
failover []v1alpha3.LocalityLoadBalancerSetting_Failover
failover_priority []string
enabled wrapperspb.BoolValue
""",
    "v1alpha3.LocalityLoadBalancerSetting_Distribute": """
from string
to map[string]uint32
""",
    "v1alpha3.LocalityLoadBalancerSetting_Failover": """
from string
to string
""",
    "v1alpha3.ZoneAwareLoadBalancerSetting": """
enabled wrapperspb.BoolValue
failover []v1alpha3.ZoneAwareLoadBalancerSetting_Failover
failover_priority []string
min_cluster_size wrapperspb.UInt64Value
""",
    "v1alpha3.ZoneAwareLoadBalancerSetting_Failover": """
from string
to string
""",
    "v1alpha1.Certificate": """
secret_name string
dns_names []string
""",
    "v1alpha1.MeshConfig_ServiceSettings": """
settings v1alpha1.MeshConfig_ServiceSettings_Settings
hosts []string
""",
    "v1alpha1.MeshConfig_ServiceSettings_Settings": """
cluster_local bool
""",
    "v1alpha1.MeshConfig_ServiceScopeConfigs": """
namespace_selector v1alpha1.LabelSelector
services_selector v1alpha1.LabelSelector
scope v1alpha1.MeshConfig_ServiceScopeConfigs_Scope
""",
    "v1alpha1.LabelSelector": """
matchLabels map[string]string
matchExpressions []v1alpha1.LabelSelectorRequirement
""",
    "v1alpha1.LabelSelectorRequirement": """
key string
operator string
values []string
""",
    "v1alpha1.MeshConfig_CA": """
address string
tls_settings v1alpha3.ClientTLSSettings
request_timeout durationpb.Duration
istiod_side bool
""",
    "v1alpha1.MeshConfig_ExtensionProvider": """
name string
envoy_ext_authz_http v1alpha1.MeshConfig_ExtensionProvider_EnvoyExternalAuthorizationHttpProvider provider
envoy_ext_authz_grpc v1alpha1.MeshConfig_ExtensionProvider_EnvoyExternalAuthorizationGrpcProvider provider
zipkin v1alpha1.MeshConfig_ExtensionProvider_ZipkinTracingProvider provider
lightstep v1alpha1.MeshConfig_ExtensionProvider_LightstepTracingProvider provider
datadog v1alpha1.MeshConfig_ExtensionProvider_DatadogTracingProvider provider
stackdriver v1alpha1.MeshConfig_ExtensionProvider_StackdriverProvider provider
opencensus v1alpha1.MeshConfig_ExtensionProvider_OpenCensusAgentTracingProvider provider
skywalking v1alpha1.MeshConfig_ExtensionProvider_SkyWalkingTracingProvider provider
opentelemetry v1alpha1.MeshConfig_ExtensionProvider_OpenTelemetryTracingProvider provider
prometheus v1alpha1.MeshConfig_ExtensionProvider_PrometheusMetricsProvider provider
envoy_file_access_log v1alpha1.MeshConfig_ExtensionProvider_EnvoyFileAccessLogProvider provider
envoy_http_als v1alpha1.MeshConfig_ExtensionProvider_EnvoyHttpGrpcV3LogProvider provider
envoy_tcp_als v1alpha1.MeshConfig_ExtensionProvider_EnvoyTcpGrpcV3LogProvider provider
envoy_otel_als v1alpha1.MeshConfig_ExtensionProvider_EnvoyOpenTelemetryLogProvider provider
sds v1alpha1.MeshConfig_ExtensionProvider_SDSProvider provider
""",
    "v1alpha1.MeshConfig_ExtensionProvider_EnvoyExternalAuthorizationHttpProvider": """
service string
port uint32
timeout durationpb.Duration
path_prefix string
fail_open bool
clear_route_cache bool
status_on_error string
include_headers_in_check []string
include_request_headers_in_check []string
include_additional_headers_in_check map[string]string
include_request_body_in_check v1alpha1.MeshConfig_ExtensionProvider_EnvoyExternalAuthorizationRequestBody
headers_to_upstream_on_allow []string
headers_to_downstream_on_deny []string
headers_to_downstream_on_allow []string
""",
    "v1alpha1.MeshConfig_ExtensionProvider_EnvoyExternalAuthorizationRequestBody": """
max_request_bytes uint32
allow_partial_message bool
pack_as_bytes bool
""",
    "v1alpha1.MeshConfig_ExtensionProvider_EnvoyExternalAuthorizationGrpcProvider": """
service string
port uint32
timeout durationpb.Duration
fail_open bool
clear_route_cache bool
status_on_error string
include_request_body_in_check v1alpha1.MeshConfig_ExtensionProvider_EnvoyExternalAuthorizationRequestBody
""",
    "v1alpha1.MeshConfig_ExtensionProvider_ZipkinTracingProvider": """
service string
port uint32
max_tag_length uint32
enable_64bit_trace_id bool
path string
trace_context_option v1alpha1.MeshConfig_ExtensionProvider_ZipkinTracingProvider_TraceContextOption
timeout durationpb.Duration
headers []v1alpha1.MeshConfig_ExtensionProvider_HttpHeader
""",
    "v1alpha1.MeshConfig_ExtensionProvider_HttpHeader": """
name string
value string header_value
env_name string header_value
""",
    "v1alpha1.MeshConfig_ExtensionProvider_LightstepTracingProvider": """
service string
port uint32
access_token string
max_tag_length uint32
""",
    "v1alpha1.MeshConfig_ExtensionProvider_DatadogTracingProvider": """
service string
port uint32
max_tag_length uint32
""",
    "v1alpha1.MeshConfig_ExtensionProvider_StackdriverProvider": """
debug bool
max_number_of_attributes wrapperspb.Int64Value
max_number_of_annotations wrapperspb.Int64Value
max_number_of_message_events wrapperspb.Int64Value
max_tag_length uint32
logging v1alpha1.MeshConfig_ExtensionProvider_StackdriverProvider_Logging
""",
    "v1alpha1.MeshConfig_ExtensionProvider_StackdriverProvider_Logging": """
labels map[string]string
""",
    "v1alpha1.MeshConfig_ExtensionProvider_OpenCensusAgentTracingProvider": """
service string
port uint32
context []v1alpha1.MeshConfig_ExtensionProvider_OpenCensusAgentTracingProvider_TraceContext
max_tag_length uint32
""",
    "v1alpha1.MeshConfig_ExtensionProvider_SkyWalkingTracingProvider": """
service string
port uint32
access_token string
""",
    "v1alpha1.MeshConfig_ExtensionProvider_OpenTelemetryTracingProvider": """
service string
port uint32
max_tag_length uint32
http v1alpha1.MeshConfig_ExtensionProvider_HttpService
grpc v1alpha1.MeshConfig_ExtensionProvider_GrpcService
resource_detectors v1alpha1.MeshConfig_ExtensionProvider_ResourceDetectors
service_attribute_enrichment v1alpha1.MeshConfig_ExtensionProvider_ServiceAttributeEnrichment
dynatrace_sampler v1alpha1.MeshConfig_ExtensionProvider_OpenTelemetryTracingProvider_DynatraceSampler sampling
""",
    "v1alpha1.MeshConfig_ExtensionProvider_HttpService": """
path string
timeout durationpb.Duration
headers []v1alpha1.MeshConfig_ExtensionProvider_HttpHeader
""",
    "v1alpha1.MeshConfig_ExtensionProvider_GrpcService": """
timeout durationpb.Duration
initial_metadata []v1alpha1.MeshConfig_ExtensionProvider_HttpHeader
""",
    "v1alpha1.MeshConfig_ExtensionProvider_ResourceDetectors": """
environment v1alpha1.MeshConfig_ExtensionProvider_ResourceDetectors_EnvironmentResourceDetector
dynatrace v1alpha1.MeshConfig_ExtensionProvider_ResourceDetectors_DynatraceResourceDetector
""",
    "v1alpha1.MeshConfig_ExtensionProvider_ResourceDetectors_EnvironmentResourceDetector": """
""",
    "v1alpha1.MeshConfig_ExtensionProvider_ResourceDetectors_DynatraceResourceDetector": """
""",
    "v1alpha1.MeshConfig_ExtensionProvider_OpenTelemetryTracingProvider_DynatraceSampler": """
tenant string
cluster_id int32
root_spans_per_minute uint32
http_service v1alpha1.MeshConfig_ExtensionProvider_OpenTelemetryTracingProvider_DynatraceSampler_DynatraceApi
""",
    "v1alpha1.MeshConfig_ExtensionProvider_OpenTelemetryTracingProvider_DynatraceSampler_DynatraceApi": """
service string
port uint32
http v1alpha1.MeshConfig_ExtensionProvider_HttpService
""",
    "v1alpha1.MeshConfig_ExtensionProvider_PrometheusMetricsProvider": """
""",
    "v1alpha1.MeshConfig_ExtensionProvider_EnvoyFileAccessLogProvider": """
path string
log_format v1alpha1.MeshConfig_ExtensionProvider_EnvoyFileAccessLogProvider_LogFormat
omit_empty_values bool
""",
    "v1alpha1.MeshConfig_ExtensionProvider_EnvoyFileAccessLogProvider_LogFormat": """
text string log_format
labels structpb.Struct log_format
""",
    "v1alpha1.MeshConfig_ExtensionProvider_EnvoyHttpGrpcV3LogProvider": """
service string
port uint32
log_name string
filter_state_objects_to_log []string
additional_request_headers_to_log []string
additional_response_headers_to_log []string
additional_response_trailers_to_log []string
""",
    "v1alpha1.MeshConfig_ExtensionProvider_EnvoyTcpGrpcV3LogProvider": """
service string
port uint32
log_name string
filter_state_objects_to_log []string
""",
    "v1alpha1.MeshConfig_ExtensionProvider_EnvoyOpenTelemetryLogProvider": """
service string
port uint32
log_name string
log_format v1alpha1.MeshConfig_ExtensionProvider_EnvoyOpenTelemetryLogProvider_LogFormat
""",
    "v1alpha1.MeshConfig_ExtensionProvider_EnvoyOpenTelemetryLogProvider_LogFormat": """
text string
labels structpb.Struct
""",
    "v1alpha1.MeshConfig_ExtensionProvider_SDSProvider": """
name string
service string
port uint32
""",
    "v1alpha1.MeshConfig_DefaultProviders": """
tracing []string
metrics []string
access_logging []string
""",
    "v1alpha1.MeshConfig_ProxyPathNormalization": """
normalization v1alpha1.MeshConfig_ProxyPathNormalization_NormalizationType
""",
    "v1alpha3.HTTPRetry": """
attempts int32
per_try_timeout durationpb.Duration
retry_on string
retry_remote_localities wrapperspb.BoolValue
retry_ignore_previous_hosts wrapperspb.BoolValue
backoff durationpb.Duration
""",
    "v1alpha1.MeshConfig_TLSConfig": """
min_protocol_version v1alpha1.MeshConfig_TLSConfig_TLSProtocol
ecdh_curves []string
cipher_suites []string
""",
    "v1alpha1.MeshConfig_DefaultTrafficPolicy": """
connection_pool v1alpha3.ConnectionPoolSettings
outlier_detection v1alpha3.OutlierDetection
""",
    "v1alpha3.ConnectionPoolSettings": """
tcp v1alpha3.ConnectionPoolSettings_TCPSettings
http v1alpha3.ConnectionPoolSettings_HTTPSettings
""",
    "v1alpha3.ConnectionPoolSettings_TCPSettings": """
max_connections int32
connect_timeout durationpb.Duration
tcp_keepalive v1alpha3.ConnectionPoolSettings_TCPSettings_TcpKeepalive
max_connection_duration durationpb.Duration
idle_timeout durationpb.Duration
""",
    "v1alpha3.ConnectionPoolSettings_HTTPSettings": """
http1_max_pending_requests int32
http2_max_requests int32
max_requests_per_connection int32
max_retries int32
idle_timeout durationpb.Duration
h2_upgrade_policy v1alpha3.ConnectionPoolSettings_HTTPSettings_H2UpgradePolicy
use_client_protocol bool
max_concurrent_streams int32
http2_keep_alive v1alpha3.ConnectionPoolSettings_HTTPSettings_ConnectionKeepalive
""",
    "v1alpha3.ConnectionPoolSettings_HTTPSettings_ConnectionKeepalive": """
interval durationpb.Duration
timeout durationpb.Duration
""",
    "v1alpha3.OutlierDetection": """
consecutive_errors int32
split_external_local_origin_errors bool
consecutive_local_origin_failures wrapperspb.UInt32Value
consecutive_gateway_errors wrapperspb.UInt32Value
consecutive_5xx_errors wrapperspb.UInt32Value
interval durationpb.Duration
base_ejection_time durationpb.Duration
max_ejection_percent int32
min_health_percent int32
outlier_detection_http_error_codes []uint32
""",
    "v1alpha1.ServiceEntryVisibility": """
default_visibility v1alpha1.ServiceEntryVisibility_Visibility
apply_to_sidecars bool
policies []v1alpha1.ServiceEntryVisibility_Policy
""",
    "v1alpha1.ServiceEntryVisibility_Policy": """
visibility v1alpha1.ServiceEntryVisibility_Visibility
matching_rules []v1alpha1.ServiceEntryVisibility_MatchRule
""",
    "v1alpha1.ServiceEntryVisibility_MatchRule": """
namespace_selector v1alpha1.LabelSelector matcher
""",
    "v1beta1.ProxyConfig": """
selector v1beta1.WorkloadSelector
concurrency wrapperspb.Int32Value
environment_variables map[string]string
image v1beta1.ProxyImage
""",
    "v1beta1.WorkloadSelector": """
match_labels map[string]string
""",
}
