"""Types of Istio's Helm values; written by tools/generate/values_types.py, not by hand."""

# A message: a line a field: its name, its type, the first minor release of Istio 1.x that has it
# so, and the one after the last. A type is a scalar, the name of a message, or the members of an
# enum with | between them; after [] it is a list of those, after {} a map.
MESSAGES = {
    "Values": """
cni CNIConfig 8 33
istiocoredns CoreDNSConfig 8 9
gateways GatewaysConfig 8 33
global GlobalConfig 8 33
pilot PilotConfig 8 33
telemetry TelemetryConfig 8 33
sidecarInjectorWebhook SidecarInjectorConfig 8 33
clusterResources bool 8 9
istioCni CNIConfig 8 22
istioCni CNIUsageConfig 22 33
istio_cni CNIConfig 8 22
istio_cni CNIUsageConfig 22 33
revision string 8 33
ownerName string 8 33
meshConfig any 8 33
base BaseConfig 8 33
istiodRemote IstiodRemoteConfig 8 33
revisionTags []string 10 33
defaultRevision string 12 33
ztunnel any 18 33
profile string 21 33
compatibilityVersion string 21 33
experimental ExperimentalConfig 22 33
gatewayClasses any 26 33
""",
    "CNIConfig": """
enabled bool 8 33
hub string 8 33
tag any 8 33
image string 8 33
pullPolicy string 8 33
cniBinDir string 8 33
cniConfDir string 8 33
cniConfFileName string 8 33
excludeNamespaces []string 8 33
podAnnotations struct 8 33
pspClusterRole string 8 33
psp_cluster_role string 8 33
logLevel string 8 33
repair CNIRepairConfig 8 33
chained bool 8 33
taint CNITaintConfig 8 18
privileged bool 11 33
resourceQuotas ResourceQuotas 12 33
resource_quotas ResourceQuotas 12 33
resources Resources 12 33
variant string 16 33
seccompProfile struct 16 22
seccompProfile SeccompProfile 22 29
seccompProfile struct 29 33
rollingMaxUnavailable int-or-string 17 33
affinity struct 18 22
affinity Affinity 22 29
affinity struct 29 33
ambient CNIAmbientConfig 18 33
provider string 19 33
cniNetnsDir string 20 33
logging GlobalLoggingConfig 23 33
env struct 23 24
env struct 27 33
istioOwnedCNIConfig bool 27 33
istioOwnedCNIConfigFileName string 27 33
daemonSetLabels struct 28 33
podLabels struct 28 33
useAppArmorAnnotation bool 30 33
""",
    "CoreDNSConfig": """
enabled bool 8 9
coreDNSImage string 8 9
coreDNSTag string 8 9
coreDNSPluginImage string 8 9
nodeSelector struct 8 9
replicaCount uint32 8 9
podAnnotations struct 8 9
resources Resources 8 9
rollingMaxSurge int-or-string 8 9
rollingMaxUnavailable int-or-string 8 9
podAntiAffinityLabelSelector []struct 8 9
podAntiAffinityTermLabelSelector []struct 8 9
tolerations []struct 8 9
autoscaleEnabled bool 8 9
autoscaleMax uint32 8 9
autoscaleMin uint32 8 9
cpu CPUTargetUtilizationConfig 8 9
""",
    "GatewaysConfig": """
istioEgressgateway EgressGatewayConfig 8 14
istio_egressgateway EgressGatewayConfig 8 33
enabled bool 8 33
istioIngressgateway IngressGatewayConfig 8 14
istio_ingressgateway IngressGatewayConfig 8 33
istio-egressgateway EgressGatewayConfig 14 33
istio-ingressgateway IngressGatewayConfig 14 33
securityContext any 20 33
seccompProfile any 23 33
""",
    "GlobalConfig": """
arch ArchConfig 8 33
configRootNamespace string 8 23
configValidation bool 8 33
defaultConfigVisibilitySettings []string 8 23
defaultNodeSelector struct 8 33
defaultPodDisruptionBudget DefaultPodDisruptionBudgetConfig 8 33
defaultResources DefaultResourcesConfig 8 33
defaultTolerations []struct 8 22
defaultTolerations []Toleration 22 29
defaultTolerations []struct 29 33
hub string 8 33
imagePullPolicy string 8 33
imagePullSecrets []string 8 33
istioNamespace string 8 33
logAsJson bool 8 33
logging GlobalLoggingConfig 8 33
meshExpansion MeshExpansionConfig 8 9
meshID string 8 33
meshNetworks struct 8 33
multiCluster MultiClusterConfig 8 33
network string 8 33
podDNSSearchNamespaces []string 8 33
omitSidecarInjectorConfigMap bool 8 33
oneNamespace bool 8 22
operatorManageWebhooks bool 8 33
priorityClassName string 8 33
proxy ProxyConfig 8 33
proxyInit ProxyInitConfig 8 14
sds SDSConfig 8 33
tag any 8 33
tracer TracerConfig 8 33
trustDomain string 8 10
useMCP bool 8 23
remotePilotAddress string 8 33
istiod IstiodConfig 8 33
pilotCertProvider string 8 33
jwtPolicy string 8 33
sts STSConfig 8 33
revision string 8 33
mountMtlsCerts bool 8 33
caAddress string 8 33
externalIstiod bool 8 33
centralIstiod bool 8 9
configCluster bool 11 33
caName string 12 33
proxy_init ProxyInitConfig 14 33
autoscalingv2API bool 14 24
variant string 16 33
certSigners []string 17 33
platform string 19 33
ipFamilies []string 20 33
ipFamilyPolicy string 20 33
waypoint WaypointConfig 24 33
trustBundleName string 27 33
nativeNftables bool 27 33
networkPolicy NetworkPolicyConfig 28 33
resourceScope undefined|all|cluster|namespace 28 33
agentgateway Agentgateway 29 33
enableReaderRBAC bool 30 33
readerServiceAccount ReaderServiceAccount 31 33
""",
    "PilotConfig": """
enabled bool 8 33
autoscaleEnabled bool 8 33
autoscaleMin uint32 8 33
autoscaleMax uint32 8 33
replicaCount uint32 8 33
image string 8 33
traceSampling double 8 33
resources Resources 8 33
configNamespace string 8 23
cpu CPUTargetUtilizationConfig 8 21
cpu TargetUtilizationConfig 21 33
nodeSelector struct 8 33
keepaliveMaxServerConnectionAge duration 8 33
deploymentLabels struct 8 33
configMap bool 8 33
useMCP bool 8 23
env struct 8 33
rollingMaxSurge int-or-string 8 33
rollingMaxUnavailable int-or-string 8 33
tolerations []struct 8 22
tolerations []Toleration 22 29
tolerations []struct 29 33
enableProtocolSniffingForOutbound bool 8 23
enableProtocolSniffingForInbound bool 8 23
podAnnotations struct 8 33
configSource PilotConfigSource 8 23
jwksResolverExtraRootCA string 8 33
plugins []string 8 22
hub string 8 33
tag any 8 33
podLabels struct 12 33
serviceAnnotations struct 12 33
variant string 16 33
seccompProfile struct 16 22
seccompProfile SeccompProfile 22 29
seccompProfile struct 29 33
autoscaleBehavior struct 19 33
topologySpreadConstraints []struct 19 22
topologySpreadConstraints []TopologySpreadConstraint 22 29
topologySpreadConstraints []struct 29 33
extraContainerArgs []struct 19 33
volumeMounts []struct 19 22
volumeMounts []VolumeMount 22 29
volumeMounts []struct 29 33
volumes []struct 19 22
volumes []Volume 22 29
volumes []struct 29 33
ipFamilies []string 20 33
ipFamilyPolicy string 20 33
affinity struct 21 22
affinity Affinity 22 29
affinity struct 29 33
memory TargetUtilizationConfig 21 33
serviceAccountAnnotations struct 22 33
cni CNIUsageConfig 22 33
taint PilotTaintControllerConfig 22 33
trustedZtunnelNamespace string 23 33
istiodRemote IstiodRemoteConfig 24 33
envVarFrom []struct 26 33
crlConfigMapName string 29 33
""",
    "TelemetryConfig": """
enabled bool 8 33
v2 TelemetryV2Config 8 33
""",
    "SidecarInjectorConfig": """
enableNamespacesByDefault bool 8 33
neverInjectSelector []struct 8 22
neverInjectSelector []LabelSelector 22 29
neverInjectSelector []struct 29 33
alwaysInjectSelector []struct 8 22
alwaysInjectSelector []LabelSelector 22 29
alwaysInjectSelector []struct 29 33
rewriteAppHTTPProbe bool 8 33
injectedAnnotations struct 8 33
objectSelector struct 8 23
injectionURL string 8 33
templates struct 9 33
useLegacySelectors bool 9 23
defaultTemplates []string 9 33
reinvocationPolicy string 19 33
""",
    "BaseConfig": """
enableCRDTemplates bool 8 33
validationURL string 8 33
enableIstioConfigCRDs bool 9 33
validateGateway bool 17 33
validationCABundle string 22 33
excludedCRDs []string 24 33
""",
    "IstiodRemoteConfig": """
injectionURL string 8 33
injectionPath string 11 33
injectionCABundle string 22 33
enabled bool 24 33
enabledLocalInjectorIstiod bool 27 33
""",
    "CNIRepairConfig": """
enabled bool 8 33
hub string 8 33
tag any 8 33
image string 8 33
labelPods bool 8 33
createEvents string 8 33
deletePods bool 8 33
brokenPodLabelKey string 8 33
brokenPodLabelValue string 8 33
initContainerName string 8 33
repairPods bool 19 33
""",
    "CNITaintConfig": """
enabled bool 8 18
""",
    "Resources": """
limits {}string 8 33
requests {}string 8 33
""",
    "CPUTargetUtilizationConfig": """
targetAverageUtilization int32 8 21
""",
    "EgressGatewayConfig": """
autoscaleEnabled bool 8 33
autoscaleMax uint32 8 33
autoscaleMin uint32 8 33
cpu CPUTargetUtilizationConfig 8 21
cpu TargetUtilizationConfig 21 33
enabled bool 8 33
env struct 8 33
labels {}string 8 33
name string 8 33
nodeSelector struct 8 33
podAnnotations struct 8 33
podAntiAffinityLabelSelector []struct 8 22
podAntiAffinityLabelSelector []LabelSelector 22 29
podAntiAffinityLabelSelector []struct 29 33
podAntiAffinityTermLabelSelector []struct 8 22
podAntiAffinityTermLabelSelector []LabelSelector 22 29
podAntiAffinityTermLabelSelector []struct 29 33
ports []PortsConfig 8 33
resources Resources 8 33
secretVolumes []SecretVolume 8 33
serviceAnnotations struct 8 33
type string 8 33
zvpn ZeroVPNConfig 8 26
tolerations []struct 8 22
tolerations []Toleration 22 29
tolerations []struct 29 33
rollingMaxSurge int-or-string 8 33
rollingMaxUnavailable int-or-string 8 33
configVolumes []struct 8 33
additionalContainers []struct 8 33
runAsRoot bool 8 33
injectionTemplate string 9 33
loadBalancerIP string 9 10
loadBalancerSourceRanges []string 9 10
customService bool 9 10
customService bool 17 33
egressPorts []struct 9 10
externalTrafficPolicy string 9 10
serviceAccount ServiceAccount 10 33
ipFamilies []string 20 33
ipFamilyPolicy string 20 33
memory TargetUtilizationConfig 21 33
""",
    "IngressGatewayConfig": """
autoscaleEnabled bool 8 33
autoscaleMax uint32 8 33
autoscaleMin uint32 8 33
cpu CPUTargetUtilizationConfig 8 21
cpu TargetUtilizationConfig 21 33
customService bool 8 33
enabled bool 8 33
env struct 8 33
labels {}string 8 33
loadBalancerIP string 8 33
loadBalancerSourceRanges []string 8 33
meshExpansionPorts []PortsConfig 8 9
name string 8 33
nodeSelector struct 8 33
podAnnotations struct 8 33
podAntiAffinityLabelSelector []struct 8 22
podAntiAffinityLabelSelector []LabelSelector 22 29
podAntiAffinityLabelSelector []struct 29 33
podAntiAffinityTermLabelSelector []struct 8 22
podAntiAffinityTermLabelSelector []LabelSelector 22 29
podAntiAffinityTermLabelSelector []struct 29 33
ports []PortsConfig 8 33
replicaCount uint32 8 33
resources struct 8 33
secretVolumes []SecretVolume 8 33
serviceAnnotations struct 8 33
type string 8 33
zvpn IngressGatewayZvpnConfig 8 26
rollingMaxSurge int-or-string 8 33
rollingMaxUnavailable int-or-string 8 33
externalTrafficPolicy string 8 33
tolerations []struct 8 22
tolerations []Toleration 22 29
tolerations []struct 29 33
ingressPorts []struct 8 33
additionalContainers []struct 8 33
configVolumes []struct 8 33
runAsRoot bool 8 33
injectionTemplate string 9 33
serviceAccount ServiceAccount 10 33
ipFamilies []string 20 33
ipFamilyPolicy string 20 33
memory TargetUtilizationConfig 21 33
""",
    "ArchConfig": """
amd64 uint32 8 33
ppc64le uint32 8 33
s390x uint32 8 33
arm64 uint32 12 33
""",
    "DefaultPodDisruptionBudgetConfig": """
enabled bool 8 33
""",
    "DefaultResourcesConfig": """
requests ResourcesRequestsConfig 8 33
""",
    "GlobalLoggingConfig": """
level string 8 33
""",
    "MeshExpansionConfig": """
enabled bool 8 9
useILB bool 8 9
""",
    "MultiClusterConfig": """
enabled bool 8 33
clusterName string 8 33
globalDomainSuffix string 8 33
includeEnvoyFilter bool 8 33
""",
    "ProxyConfig": """
autoInject string 8 33
clusterDomain string 8 33
componentLogLevel string 8 33
enableCoreDump bool 8 33
excludeInboundPorts string 8 33
excludeIPRanges string 8 33
image string 8 33
includeIPRanges string 8 33
logLevel string 8 33
privileged bool 8 33
readinessInitialDelaySeconds uint32 8 33
readinessPeriodSeconds uint32 8 33
readinessFailureThreshold uint32 8 33
statusPort uint32 8 33
resources Resources 8 33
tracer zipkin|lightstep|datadog|stackdriver|openCensusAgent 8 11
tracer zipkin|lightstep|datadog|stackdriver|openCensusAgent|none 11 33
excludeOutboundPorts string 8 33
lifecycle struct 8 22
lifecycle Lifecycle 22 29
lifecycle struct 29 33
holdApplicationUntilProxyStarts bool 8 33
includeInboundPorts string 12 33
includeOutboundPorts string 12 33
startupProbe StartupProbe 20 33
outlierLogPath string 23 33
seccompProfile struct 29 33
""",
    "ProxyInitConfig": """
image string 8 33
resources Resources 8 33
""",
    "SDSConfig": """
token struct 8 33
""",
    "TracerConfig": """
datadog TracerDatadogConfig 8 33
lightstep TracerLightStepConfig 8 33
zipkin TracerZipkinConfig 8 33
stackdriver TracerStackdriverConfig 8 33
""",
    "IstiodConfig": """
enableAnalysis bool 8 33
""",
    "STSConfig": """
servicePort uint32 8 33
""",
    "PilotConfigSource": """
subscribedResources []string 8 23
""",
    "TelemetryV2Config": """
enabled bool 8 33
metadataExchange TelemetryV2MetadataExchangeConfig 8 21
metadata_exchange TelemetryV2MetadataExchangeConfig 8 21
prometheus TelemetryV2PrometheusConfig 8 33
stackdriver TelemetryV2StackDriverConfig 8 33
accessLogPolicy TelemetryV2AccessLogPolicyFilterConfig 8 21
access_log_policy TelemetryV2AccessLogPolicyFilterConfig 8 21
""",
    "PortsConfig": """
name string 8 33
port int32 8 33
nodePort int32 8 33
targetPort int32 8 33
protocol string 8 33
""",
    "SecretVolume": """
mountPath string 8 33
name string 8 33
secretName string 8 33
""",
    "ZeroVPNConfig": """
enabled bool 8 26
suffix string 8 26
""",
    "IngressGatewayZvpnConfig": """
enabled bool 8 26
suffix string 8 26
""",
    "ResourcesRequestsConfig": """
cpu string 8 33
memory string 8 33
""",
    "TracerDatadogConfig": """
address string 8 33
""",
    "TracerLightStepConfig": """
address string 8 33
accessToken string 8 33
""",
    "TracerZipkinConfig": """
address string 8 33
""",
    "TracerStackdriverConfig": """
debug bool 8 33
maxNumberOfAttributes uint32 8 33
maxNumberOfAnnotations uint32 8 33
maxNumberOfMessageEvents uint32 8 33
""",
    "TelemetryV2MetadataExchangeConfig": """
wasmEnabled bool 8 21
""",
    "TelemetryV2PrometheusConfig": """
enabled bool 8 33
wasmEnabled bool 8 21
configOverride ConfigOverride 8 21
config_override ConfigOverride 8 21
""",
    "TelemetryV2StackDriverConfig": """
enabled bool 8 33
logging bool 8 21
monitoring bool 8 21
topology bool 8 21
disableOutbound bool 8 21
configOverride struct 8 21
outboundAccessLogging NONE|FULL|ERRORS_ONLY 8 21
inboundAccessLogging NONE|FULL|ERRORS_ONLY 8 21
""",
    "TelemetryV2AccessLogPolicyFilterConfig": """
enabled bool 8 21
logWindowDuration duration 8 21
""",
    "ConfigOverride": """
gateway struct 8 21
inboundSidecar struct 8 21
outboundSidecar struct 8 21
""",
    "ServiceAccount": """
annotations struct 10 33
""",
    "ResourceQuotas": """
enabled bool 12 33
pods int64 12 33
""",
    "CNIAmbientConfig": """
enabled bool 18 33
redirectMode string 18 21
configDir string 19 33
dnsCapture bool 21 33
ipv6 bool 23 33
reconcileIptablesOnStartup bool 26 33
enablementSelectors []struct 32 33
shareHostNetworkNamespace bool 32 33
enableAmbientDetectionRetry bool 32 33
""",
    "StartupProbe": """
enabled bool 20 33
failureThreshold uint32 20 33
""",
    "TargetUtilizationConfig": """
targetAverageUtilization int32 21 33
""",
    "CNIUsageConfig": """
enabled bool 22 33
chained bool 22 33
provider string 22 33
""",
    "ExperimentalConfig": """
stableValidationPolicy bool 22 33
""",
    "PilotTaintControllerConfig": """
enabled bool 22 33
namespace string 22 33
name string 30 33
""",
    "WaypointConfig": """
resources Resources 24 33
affinity Affinity 24 29
affinity struct 29 33
topologySpreadConstraints []TopologySpreadConstraint 24 29
topologySpreadConstraints []struct 29 33
nodeSelector NodeSelector 24 29
nodeSelector struct 29 33
toleration []Toleration 24 29
toleration []struct 29 33
""",
    "NetworkPolicyConfig": """
enabled bool 28 33
""",
    "Agentgateway": """
image string 29 33
""",
    "ReaderServiceAccount": """
name string 31 33
namespace string 31 33
""",
}
