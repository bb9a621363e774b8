"""Kubernetes' Go types; written by tools/generate/kube_types.py, not by hand."""
# ruff: noqa: E501 (some of Go's names are longer than a line)

# Named strings.
SCALARS = (
    "AppArmorProfileType",
    "AzureDataDiskCachingMode",
    "AzureDataDiskKind",
    "Capability",
    "ClaimResourceStatus",
    "CompletionMode",
    "ConcurrencyPolicy",
    "ConditionStatus",
    "ContainerRestartPolicy",
    "ContainerRestartRuleAction",
    "ContainerRestartRuleOnExitCodesOperator",
    "DNSPolicy",
    "DaemonSetConditionType",
    "DaemonSetUpdateStrategyType",
    "DeploymentConditionType",
    "DeploymentStrategyType",
    "FinalizerName",
    "GRPCProbeMode",
    "HTTPProtocol",
    "HostPathType",
    "JobConditionType",
    "LabelSelectorOperator",
    "ManagedFieldsOperationType",
    "MountPropagationMode",
    "NamespaceConditionType",
    "NamespacePhase",
    "NodeInclusionPolicy",
    "NodeSelectorOperator",
    "OSName",
    "PersistentVolumeAccessMode",
    "PersistentVolumeClaimConditionType",
    "PersistentVolumeClaimModifyVolumeStatus",
    "PersistentVolumeClaimPhase",
    "PersistentVolumeClaimRetentionPolicyType",
    "PersistentVolumeMode",
    "PodConditionType",
    "PodFSGroupChangePolicy",
    "PodFailurePolicyAction",
    "PodFailurePolicyOnExitCodesOperator",
    "PodManagementPolicyType",
    "PodPhase",
    "PodQOSClass",
    "PodReplacementPolicy",
    "PodResizeStatus",
    "PodSELinuxChangePolicy",
    "PreemptionPolicy",
    "ProcMountType",
    "Protocol",
    "PullPolicy",
    "RecursiveReadOnlyMode",
    "ReplicaSetConditionType",
    "ReplicationControllerConditionType",
    "ResourceHealthStatus",
    "ResourceID",
    "ResourceName",
    "ResourceResizeRestartPolicy",
    "RestartPolicy",
    "SeccompProfileType",
    "Signal",
    "StatefulSetConditionType",
    "StatefulSetUpdateStrategyType",
    "StorageMedium",
    "SupplementalGroupsPolicy",
    "TaintEffect",
    "TerminationMessagePolicy",
    "TolerationOperator",
    "URIScheme",
    "UnsatisfiableConstraintAction",
    "VolumeHealthStatusType",
    "types.UID",
)

# A line a field: Go name, type, JSON name and options, other tags, the first and last
# Kubernetes minor that has it so, and its position in the text of String if the order
# differs. Types without a package are of v1.
STRUCTS = {
    "Pod": """
TypeMeta TypeMeta ,embedded
ObjectMeta ObjectMeta metadata,omitempty,embedded
Spec PodSpec spec,omitempty
Status PodStatus status,omitempty
""",
    "TypeMeta": """
Kind string kind,omitempty
APIVersion string apiVersion,omitempty
""",
    "ObjectMeta": """
Name string name,omitempty
GenerateName string generateName,omitempty
Namespace string namespace,omitempty
SelfLink string selfLink,omitempty
UID types.UID uid,omitempty
ResourceVersion string resourceVersion,omitempty
Generation int64 generation,omitempty
CreationTimestamp Time creationTimestamp,omitempty until=33
CreationTimestamp Time creationTimestamp,omitempty,omitzero since=34
DeletionTimestamp *Time deletionTimestamp,omitempty
DeletionGracePeriodSeconds *int64 deletionGracePeriodSeconds,omitempty
Labels map[string]string labels,omitempty
Annotations map[string]string annotations,omitempty
OwnerReferences []OwnerReference ownerReferences,omitempty patch=merge key=uid
Finalizers []string finalizers,omitempty patch=merge
ClusterName string clusterName,omitempty until=23
ZZZ_DeprecatedClusterName string clusterName,omitempty since=24 until=24
ManagedFields []ManagedFieldsEntry managedFields,omitempty since=14
""",
    "OwnerReference": """
APIVersion string apiVersion print=3
Kind string kind print=0
Name string name print=1
UID types.UID uid print=2
Controller *bool controller,omitempty print=4
BlockOwnerDeletion *bool blockOwnerDeletion,omitempty print=5
""",
    "ManagedFieldsEntry": """
Manager string manager,omitempty
Operation ManagedFieldsOperationType operation,omitempty
APIVersion string apiVersion,omitempty
Time *Time time,omitempty
FieldsType string fieldsType,omitempty since=16
FieldsV1 *FieldsV1 fieldsV1,omitempty since=16
Subresource string subresource,omitempty since=22
""",
    "PodSpec": """
Volumes []Volume volumes,omitempty patch=merge,retainKeys key=name print=0
InitContainers []Container initContainers,omitempty patch=merge key=name print=19
Containers []Container containers patch=merge key=name print=1
EphemeralContainers []EphemeralContainer ephemeralContainers,omitempty patch=merge key=name since=16 print=33
RestartPolicy RestartPolicy restartPolicy,omitempty print=2
TerminationGracePeriodSeconds *int64 terminationGracePeriodSeconds,omitempty print=3
ActiveDeadlineSeconds *int64 activeDeadlineSeconds,omitempty print=4
DNSPolicy DNSPolicy dnsPolicy,omitempty print=5
NodeSelector map[string]string nodeSelector,omitempty print=6
ServiceAccountName string serviceAccountName,omitempty print=7
DeprecatedServiceAccount string serviceAccount,omitempty print=8
AutomountServiceAccountToken *bool automountServiceAccountToken,omitempty print=20
NodeName string nodeName,omitempty print=9
HostNetwork bool hostNetwork,omitempty print=10
HostPID bool hostPID,omitempty print=11
HostIPC bool hostIPC,omitempty print=12
ShareProcessNamespace *bool shareProcessNamespace,omitempty print=26
SecurityContext *PodSecurityContext securityContext,omitempty print=13
ImagePullSecrets []LocalObjectReference imagePullSecrets,omitempty patch=merge key=name print=14
Hostname string hostname,omitempty print=15
Subdomain string subdomain,omitempty print=16
Affinity *Affinity affinity,omitempty print=17
SchedulerName string schedulerName,omitempty print=18
Tolerations []Toleration tolerations,omitempty print=21
HostAliases []HostAlias hostAliases,omitempty patch=merge key=ip print=22
PriorityClassName string priorityClassName,omitempty print=23
Priority *int32 priority,omitempty print=24
DNSConfig *PodDNSConfig dnsConfig,omitempty print=25
ReadinessGates []PodReadinessGate readinessGates,omitempty since=11 print=27
RuntimeClassName *string runtimeClassName,omitempty since=12 print=28
EnableServiceLinks *bool enableServiceLinks,omitempty since=13 print=29
PreemptionPolicy *PreemptionPolicy preemptionPolicy,omitempty since=15 print=30
Overhead ResourceList overhead,omitempty since=16 print=31
TopologySpreadConstraints []TopologySpreadConstraint topologySpreadConstraints,omitempty patch=merge key=topologyKey since=16 print=32
SetHostnameAsFQDN *bool setHostnameAsFQDN,omitempty since=19 print=34
OS *PodOS os,omitempty since=23 print=35
HostUsers *bool hostUsers,omitempty since=25 print=36
SchedulingGates []PodSchedulingGate schedulingGates,omitempty patch=merge key=name since=26 print=37
ResourceClaims []PodResourceClaim resourceClaims,omitempty patch=merge,retainKeys key=name since=26 print=38
Resources *ResourceRequirements resources,omitempty since=32 print=39
HostnameOverride *string hostnameOverride,omitempty since=34 print=40
SchedulingGroup *PodSchedulingGroup schedulingGroup,omitempty since=36 print=42
EvictionResponders []EvictionResponder evictionResponders,omitempty patch=merge key=name since=37 print=43
WorkloadRef *WorkloadReference workloadRef,omitempty since=35 until=35 print=41
""",
    "Volume": """
Name string name
VolumeSource VolumeSource ,embedded
""",
    "VolumeSource": """
HostPath *HostPathVolumeSource hostPath,omitempty print=0
EmptyDir *EmptyDirVolumeSource emptyDir,omitempty print=1
GCEPersistentDisk *GCEPersistentDiskVolumeSource gcePersistentDisk,omitempty print=2
AWSElasticBlockStore *AWSElasticBlockStoreVolumeSource awsElasticBlockStore,omitempty print=3
GitRepo *GitRepoVolumeSource gitRepo,omitempty print=4
Secret *SecretVolumeSource secret,omitempty print=5
NFS *NFSVolumeSource nfs,omitempty print=6
ISCSI *ISCSIVolumeSource iscsi,omitempty print=7
Glusterfs *GlusterfsVolumeSource glusterfs,omitempty print=8
PersistentVolumeClaim *PersistentVolumeClaimVolumeSource persistentVolumeClaim,omitempty print=9
RBD *RBDVolumeSource rbd,omitempty print=10
FlexVolume *FlexVolumeSource flexVolume,omitempty print=11
Cinder *CinderVolumeSource cinder,omitempty print=12
CephFS *CephFSVolumeSource cephfs,omitempty print=13
Flocker *FlockerVolumeSource flocker,omitempty print=14
DownwardAPI *DownwardAPIVolumeSource downwardAPI,omitempty print=15
FC *FCVolumeSource fc,omitempty print=16
AzureFile *AzureFileVolumeSource azureFile,omitempty print=17
ConfigMap *ConfigMapVolumeSource configMap,omitempty print=18
VsphereVolume *VsphereVirtualDiskVolumeSource vsphereVolume,omitempty print=19
Quobyte *QuobyteVolumeSource quobyte,omitempty print=20
AzureDisk *AzureDiskVolumeSource azureDisk,omitempty print=21
PhotonPersistentDisk *PhotonPersistentDiskVolumeSource photonPersistentDisk,omitempty print=22
Projected *ProjectedVolumeSource projected,omitempty print=25
PortworxVolume *PortworxVolumeSource portworxVolume,omitempty print=23
ScaleIO *ScaleIOVolumeSource scaleIO,omitempty print=24
StorageOS *StorageOSVolumeSource storageos,omitempty print=26
CSI *CSIVolumeSource csi,omitempty since=14 print=27
Ephemeral *EphemeralVolumeSource ephemeral,omitempty since=19 print=28
Image *ImageVolumeSource image,omitempty since=31 print=29
""",
    "HostPathVolumeSource": """
Path string path
Type *HostPathType type,omitempty
""",
    "EmptyDirVolumeSource": """
Medium StorageMedium medium,omitempty
SizeLimit *resource.Quantity sizeLimit,omitempty
Mode *int32 mode,omitempty since=37
""",
    "GCEPersistentDiskVolumeSource": """
PDName string pdName
FSType string fsType,omitempty
Partition int32 partition,omitempty
ReadOnly bool readOnly,omitempty
""",
    "AWSElasticBlockStoreVolumeSource": """
VolumeID string volumeID
FSType string fsType,omitempty
Partition int32 partition,omitempty
ReadOnly bool readOnly,omitempty
""",
    "GitRepoVolumeSource": """
Repository string repository
Revision string revision,omitempty
Directory string directory,omitempty
""",
    "SecretVolumeSource": """
SecretName string secretName,omitempty
Items []KeyToPath items,omitempty
DefaultMode *int32 defaultMode,omitempty
Optional *bool optional,omitempty
DefaultUser *int64 defaultUser,omitempty since=37
""",
    "KeyToPath": """
Key string key
Path string path
Mode *int32 mode,omitempty
User *int64 user,omitempty since=37
""",
    "NFSVolumeSource": """
Server string server
Path string path
ReadOnly bool readOnly,omitempty
""",
    "ISCSIVolumeSource": """
TargetPortal string targetPortal print=0
IQN string iqn print=1
Lun int32 lun print=2
ISCSIInterface string iscsiInterface,omitempty print=3
FSType string fsType,omitempty print=4
ReadOnly bool readOnly,omitempty print=5
Portals []string portals,omitempty print=6
DiscoveryCHAPAuth bool chapAuthDiscovery,omitempty print=7
SessionCHAPAuth bool chapAuthSession,omitempty print=9
SecretRef *LocalObjectReference secretRef,omitempty print=8
InitiatorName *string initiatorName,omitempty print=10
""",
    "LocalObjectReference": """
Name string name,omitempty
""",
    "GlusterfsVolumeSource": """
EndpointsName string endpoints
Path string path
ReadOnly bool readOnly,omitempty
""",
    "PersistentVolumeClaimVolumeSource": """
ClaimName string claimName
ReadOnly bool readOnly,omitempty
""",
    "RBDVolumeSource": """
CephMonitors []string monitors
RBDImage string image
FSType string fsType,omitempty
RBDPool string pool,omitempty
RadosUser string user,omitempty
Keyring string keyring,omitempty
SecretRef *LocalObjectReference secretRef,omitempty
ReadOnly bool readOnly,omitempty
""",
    "FlexVolumeSource": """
Driver string driver
FSType string fsType,omitempty
SecretRef *LocalObjectReference secretRef,omitempty
ReadOnly bool readOnly,omitempty
Options map[string]string options,omitempty
""",
    "CinderVolumeSource": """
VolumeID string volumeID
FSType string fsType,omitempty
ReadOnly bool readOnly,omitempty
SecretRef *LocalObjectReference secretRef,omitempty
""",
    "CephFSVolumeSource": """
Monitors []string monitors
Path string path,omitempty
User string user,omitempty
SecretFile string secretFile,omitempty
SecretRef *LocalObjectReference secretRef,omitempty
ReadOnly bool readOnly,omitempty
""",
    "FlockerVolumeSource": """
DatasetName string datasetName,omitempty
DatasetUUID string datasetUUID,omitempty
""",
    "DownwardAPIVolumeSource": """
Items []DownwardAPIVolumeFile items,omitempty
DefaultMode *int32 defaultMode,omitempty
DefaultUser *int64 defaultUser,omitempty since=37
""",
    "DownwardAPIVolumeFile": """
Path string path
FieldRef *ObjectFieldSelector fieldRef,omitempty
ResourceFieldRef *ResourceFieldSelector resourceFieldRef,omitempty
Mode *int32 mode,omitempty
User *int64 user,omitempty since=37
""",
    "ObjectFieldSelector": """
APIVersion string apiVersion,omitempty
FieldPath string fieldPath
""",
    "ResourceFieldSelector": """
ContainerName string containerName,omitempty
Resource string resource
Divisor resource.Quantity divisor,omitempty
""",
    "FCVolumeSource": """
TargetWWNs []string targetWWNs,omitempty
Lun *int32 lun,omitempty
FSType string fsType,omitempty
ReadOnly bool readOnly,omitempty
WWIDs []string wwids,omitempty
""",
    "AzureFileVolumeSource": """
SecretName string secretName
ShareName string shareName
ReadOnly bool readOnly,omitempty
""",
    "ConfigMapVolumeSource": """
LocalObjectReference LocalObjectReference ,embedded
Items []KeyToPath items,omitempty
DefaultMode *int32 defaultMode,omitempty
Optional *bool optional,omitempty
DefaultUser *int64 defaultUser,omitempty since=37
""",
    "VsphereVirtualDiskVolumeSource": """
VolumePath string volumePath
FSType string fsType,omitempty
StoragePolicyName string storagePolicyName,omitempty
StoragePolicyID string storagePolicyID,omitempty
""",
    "QuobyteVolumeSource": """
Registry string registry
Volume string volume
ReadOnly bool readOnly,omitempty
User string user,omitempty
Group string group,omitempty
Tenant string tenant,omitempty since=15
""",
    "AzureDiskVolumeSource": """
DiskName string diskName
DataDiskURI string diskURI
CachingMode *AzureDataDiskCachingMode cachingMode,omitempty
FSType *string fsType,omitempty
ReadOnly *bool readOnly,omitempty
Kind *AzureDataDiskKind kind,omitempty
""",
    "PhotonPersistentDiskVolumeSource": """
PdID string pdID
FSType string fsType,omitempty
""",
    "ProjectedVolumeSource": """
Sources []VolumeProjection sources
DefaultMode *int32 defaultMode,omitempty
DefaultUser *int64 defaultUser,omitempty since=37
""",
    "VolumeProjection": """
Secret *SecretProjection secret,omitempty
DownwardAPI *DownwardAPIProjection downwardAPI,omitempty
ConfigMap *ConfigMapProjection configMap,omitempty
ServiceAccountToken *ServiceAccountTokenProjection serviceAccountToken,omitempty since=11
ClusterTrustBundle *ClusterTrustBundleProjection clusterTrustBundle,omitempty since=29
PodCertificate *PodCertificateProjection podCertificate,omitempty since=34
""",
    "SecretProjection": """
LocalObjectReference LocalObjectReference ,embedded
Items []KeyToPath items,omitempty
Optional *bool optional,omitempty
""",
    "DownwardAPIProjection": """
Items []DownwardAPIVolumeFile items,omitempty
""",
    "ConfigMapProjection": """
LocalObjectReference LocalObjectReference ,embedded
Items []KeyToPath items,omitempty
Optional *bool optional,omitempty
""",
    "ServiceAccountTokenProjection": """
Audience string audience,omitempty
ExpirationSeconds *int64 expirationSeconds,omitempty
Path string path
User *int64 user,omitempty since=37
""",
    "ClusterTrustBundleProjection": """
Name *string name,omitempty print=0
SignerName *string signerName,omitempty print=1
LabelSelector *LabelSelector labelSelector,omitempty print=2
Optional *bool optional,omitempty print=4
Path string path print=3
User *int64 user,omitempty since=37 print=5
""",
    "LabelSelector": """
MatchLabels map[string]string matchLabels,omitempty
MatchExpressions []LabelSelectorRequirement matchExpressions,omitempty
""",
    "LabelSelectorRequirement": """
Key string key patch=merge key=key until=27
Key string key since=28
Operator LabelSelectorOperator operator
Values []string values,omitempty
""",
    "PodCertificateProjection": """
SignerName string signerName,omitempty
KeyType string keyType,omitempty
MaxExpirationSeconds *int32 maxExpirationSeconds,omitempty
CredentialBundlePath string credentialBundlePath,omitempty
KeyPath string keyPath,omitempty
CertificateChainPath string certificateChainPath,omitempty
UserAnnotations map[string]string userAnnotations,omitempty since=35
User *int64 user,omitempty since=37
""",
    "PortworxVolumeSource": """
VolumeID string volumeID
FSType string fsType,omitempty
ReadOnly bool readOnly,omitempty
""",
    "ScaleIOVolumeSource": """
Gateway string gateway
System string system
SecretRef *LocalObjectReference secretRef
SSLEnabled bool sslEnabled,omitempty
ProtectionDomain string protectionDomain,omitempty
StoragePool string storagePool,omitempty
StorageMode string storageMode,omitempty
VolumeName string volumeName,omitempty
FSType string fsType,omitempty
ReadOnly bool readOnly,omitempty
""",
    "StorageOSVolumeSource": """
VolumeName string volumeName,omitempty
VolumeNamespace string volumeNamespace,omitempty
FSType string fsType,omitempty
ReadOnly bool readOnly,omitempty
SecretRef *LocalObjectReference secretRef,omitempty
""",
    "CSIVolumeSource": """
Driver string driver
ReadOnly *bool readOnly,omitempty
FSType *string fsType,omitempty
VolumeAttributes map[string]string volumeAttributes,omitempty
NodePublishSecretRef *LocalObjectReference nodePublishSecretRef,omitempty
""",
    "EphemeralVolumeSource": """
VolumeClaimTemplate *PersistentVolumeClaimTemplate volumeClaimTemplate,omitempty
ReadOnly bool readOnly,omitempty until=20
""",
    "PersistentVolumeClaimTemplate": """
ObjectMeta ObjectMeta metadata,omitempty,embedded
Spec PersistentVolumeClaimSpec spec
""",
    "PersistentVolumeClaimSpec": """
AccessModes []PersistentVolumeAccessMode accessModes,omitempty print=0
Selector *LabelSelector selector,omitempty print=3
Resources ResourceRequirements resources,omitempty until=28 print=1
Resources VolumeResourceRequirements resources,omitempty since=29 print=1
VolumeName string volumeName,omitempty print=2
StorageClassName *string storageClassName,omitempty print=4
VolumeMode *PersistentVolumeMode volumeMode,omitempty print=5
DataSource *TypedLocalObjectReference dataSource,omitempty since=12 print=6
DataSourceRef *TypedLocalObjectReference dataSourceRef,omitempty since=22 until=25 print=7
DataSourceRef *TypedObjectReference dataSourceRef,omitempty since=26 print=7
VolumeAttributesClassName *string volumeAttributesClassName,omitempty since=29 print=8
""",
    "VolumeResourceRequirements": """
Limits ResourceList limits,omitempty
Requests ResourceList requests,omitempty
""",
    "TypedLocalObjectReference": """
APIGroup *string apiGroup
Kind string kind
Name string name
""",
    "TypedObjectReference": """
APIGroup *string apiGroup
Kind string kind
Name string name
Namespace *string namespace,omitempty
""",
    "ImageVolumeSource": """
Reference string reference,omitempty
PullPolicy PullPolicy pullPolicy,omitempty
""",
    "Container": """
Name string name print=0
Image string image,omitempty print=1
Command []string command,omitempty print=2
Args []string args,omitempty print=3
WorkingDir string workingDir,omitempty print=4
Ports []ContainerPort ports,omitempty patch=merge key=containerPort print=5
EnvFrom []EnvFromSource envFrom,omitempty print=18
Env []EnvVar env,omitempty patch=merge key=name print=6
Resources ResourceRequirements resources,omitempty print=7
ResizePolicy []ContainerResizePolicy resizePolicy,omitempty since=27 print=22
RestartPolicy *ContainerRestartPolicy restartPolicy,omitempty since=28 print=23
RestartPolicyRules []ContainerRestartRule restartPolicyRules,omitempty since=34 print=24
VolumeMounts []VolumeMount volumeMounts,omitempty patch=merge key=mountPath print=8
VolumeDevices []VolumeDevice volumeDevices,omitempty patch=merge key=devicePath print=20
LivenessProbe *Probe livenessProbe,omitempty print=9
ReadinessProbe *Probe readinessProbe,omitempty print=10
StartupProbe *Probe startupProbe,omitempty since=16 print=21
Lifecycle *Lifecycle lifecycle,omitempty print=11
TerminationMessagePath string terminationMessagePath,omitempty print=12
TerminationMessagePolicy TerminationMessagePolicy terminationMessagePolicy,omitempty print=19
ImagePullPolicy PullPolicy imagePullPolicy,omitempty print=13
SecurityContext *SecurityContext securityContext,omitempty print=14
Stdin bool stdin,omitempty print=15
StdinOnce bool stdinOnce,omitempty print=16
TTY bool tty,omitempty print=17
""",
    "ContainerPort": """
Name string name,omitempty
HostPort int32 hostPort,omitempty
ContainerPort int32 containerPort
Protocol Protocol protocol,omitempty
HostIP string hostIP,omitempty
""",
    "EnvFromSource": """
Prefix string prefix,omitempty
ConfigMapRef *ConfigMapEnvSource configMapRef,omitempty
SecretRef *SecretEnvSource secretRef,omitempty
""",
    "ConfigMapEnvSource": """
LocalObjectReference LocalObjectReference ,embedded
Optional *bool optional,omitempty
""",
    "SecretEnvSource": """
LocalObjectReference LocalObjectReference ,embedded
Optional *bool optional,omitempty
""",
    "EnvVar": """
Name string name
Value string value,omitempty
ValueFrom *EnvVarSource valueFrom,omitempty
""",
    "EnvVarSource": """
FieldRef *ObjectFieldSelector fieldRef,omitempty
ResourceFieldRef *ResourceFieldSelector resourceFieldRef,omitempty
ConfigMapKeyRef *ConfigMapKeySelector configMapKeyRef,omitempty
SecretKeyRef *SecretKeySelector secretKeyRef,omitempty
FileKeyRef *FileKeySelector fileKeyRef,omitempty since=34
""",
    "ConfigMapKeySelector": """
LocalObjectReference LocalObjectReference ,embedded
Key string key
Optional *bool optional,omitempty
""",
    "SecretKeySelector": """
LocalObjectReference LocalObjectReference ,embedded
Key string key
Optional *bool optional,omitempty
""",
    "FileKeySelector": """
VolumeName string volumeName
Path string path
Key string key
Optional *bool optional,omitempty
""",
    "ResourceRequirements": """
Limits ResourceList limits,omitempty
Requests ResourceList requests,omitempty
Claims []ResourceClaim claims,omitempty since=26
""",
    "ResourceClaim": """
Name string name
Request string request,omitempty since=31
""",
    "ContainerResizePolicy": """
ResourceName ResourceName resourceName
RestartPolicy ResourceResizeRestartPolicy restartPolicy
""",
    "ContainerRestartRule": """
Action ContainerRestartRuleAction action,omitempty
ExitCodes *ContainerRestartRuleOnExitCodes exitCodes,omitempty
""",
    "ContainerRestartRuleOnExitCodes": """
Operator ContainerRestartRuleOnExitCodesOperator operator,omitempty
Values []int32 values,omitempty
""",
    "VolumeMount": """
Name string name print=0
ReadOnly bool readOnly,omitempty print=1
RecursiveReadOnly *RecursiveReadOnlyMode recursiveReadOnly,omitempty since=30 print=6
MountPath string mountPath print=2
SubPath string subPath,omitempty print=3
MountPropagation *MountPropagationMode mountPropagation,omitempty print=4
SubPathExpr string subPathExpr,omitempty since=14 print=5
BindMountOptions []string bindMountOptions,omitempty since=37 print=7
""",
    "VolumeDevice": """
Name string name
DevicePath string devicePath
""",
    "Probe": """
ProbeHandler ProbeHandler ,embedded since=23
Handler Handler ,embedded until=22
InitialDelaySeconds int32 initialDelaySeconds,omitempty
TimeoutSeconds int32 timeoutSeconds,omitempty
PeriodSeconds int32 periodSeconds,omitempty
SuccessThreshold int32 successThreshold,omitempty
FailureThreshold int32 failureThreshold,omitempty
TerminationGracePeriodSeconds *int64 terminationGracePeriodSeconds,omitempty since=21
""",
    "ProbeHandler": """
Exec *ExecAction exec,omitempty
HTTPGet *HTTPGetAction httpGet,omitempty
TCPSocket *TCPSocketAction tcpSocket,omitempty
GRPC *GRPCAction grpc,omitempty
""",
    "ExecAction": """
Command []string command,omitempty
""",
    "HTTPGetAction": """
Path string path,omitempty
Port intstr.IntOrString port
Host string host,omitempty
Scheme URIScheme scheme,omitempty
HTTPHeaders []HTTPHeader httpHeaders,omitempty
Protocol *HTTPProtocol protocol,omitempty since=37
""",
    "HTTPHeader": """
Name string name
Value string value
""",
    "TCPSocketAction": """
Port intstr.IntOrString port
Host string host,omitempty
""",
    "GRPCAction": """
Port int32 port
Service *string service
Mode *GRPCProbeMode mode,omitempty since=37
""",
    "Lifecycle": """
PostStart *Handler postStart,omitempty until=22
PostStart *LifecycleHandler postStart,omitempty since=23
PreStop *Handler preStop,omitempty until=22
PreStop *LifecycleHandler preStop,omitempty since=23
StopSignal *Signal stopSignal,omitempty since=33
""",
    "LifecycleHandler": """
Exec *ExecAction exec,omitempty
HTTPGet *HTTPGetAction httpGet,omitempty
TCPSocket *TCPSocketAction tcpSocket,omitempty
Sleep *SleepAction sleep,omitempty since=29
""",
    "SleepAction": """
Seconds int64 seconds
""",
    "SecurityContext": """
Capabilities *Capabilities capabilities,omitempty print=0
Privileged *bool privileged,omitempty print=1
SELinuxOptions *SELinuxOptions seLinuxOptions,omitempty print=2
WindowsOptions *WindowsSecurityContextOptions windowsOptions,omitempty since=14 print=9
RunAsUser *int64 runAsUser,omitempty print=3
RunAsGroup *int64 runAsGroup,omitempty print=7
RunAsNonRoot *bool runAsNonRoot,omitempty print=4
ReadOnlyRootFilesystem *bool readOnlyRootFilesystem,omitempty print=5
AllowPrivilegeEscalation *bool allowPrivilegeEscalation,omitempty print=6
ProcMount *ProcMountType procMount,omitempty since=12 print=8
SeccompProfile *SeccompProfile seccompProfile,omitempty since=19 print=10
AppArmorProfile *AppArmorProfile appArmorProfile,omitempty since=30 print=11
""",
    "Capabilities": """
Add []Capability add,omitempty
Drop []Capability drop,omitempty
""",
    "SELinuxOptions": """
User string user,omitempty
Role string role,omitempty
Type string type,omitempty
Level string level,omitempty
""",
    "WindowsSecurityContextOptions": """
GMSACredentialSpecName *string gmsaCredentialSpecName,omitempty
GMSACredentialSpec *string gmsaCredentialSpec,omitempty
RunAsUserName *string runAsUserName,omitempty since=16
HostProcess *bool hostProcess,omitempty since=22
""",
    "SeccompProfile": """
Type SeccompProfileType type
LocalhostProfile *string localhostProfile,omitempty
""",
    "AppArmorProfile": """
Type AppArmorProfileType type
LocalhostProfile *string localhostProfile,omitempty
""",
    "EphemeralContainer": """
EphemeralContainerCommon EphemeralContainerCommon ,embedded
TargetContainerName string targetContainerName,omitempty
""",
    "EphemeralContainerCommon": """
Name string name print=0
Image string image,omitempty print=1
Command []string command,omitempty print=2
Args []string args,omitempty print=3
WorkingDir string workingDir,omitempty print=4
Ports []ContainerPort ports,omitempty until=22 print=5
Ports []ContainerPort ports,omitempty patch=merge key=containerPort since=23 print=5
EnvFrom []EnvFromSource envFrom,omitempty print=18
Env []EnvVar env,omitempty patch=merge key=name print=6
Resources ResourceRequirements resources,omitempty print=7
ResizePolicy []ContainerResizePolicy resizePolicy,omitempty since=27 print=22
RestartPolicy *ContainerRestartPolicy restartPolicy,omitempty since=28 print=23
RestartPolicyRules []ContainerRestartRule restartPolicyRules,omitempty since=34 print=24
VolumeMounts []VolumeMount volumeMounts,omitempty patch=merge key=mountPath print=8
VolumeDevices []VolumeDevice volumeDevices,omitempty patch=merge key=devicePath print=20
LivenessProbe *Probe livenessProbe,omitempty print=9
ReadinessProbe *Probe readinessProbe,omitempty print=10
StartupProbe *Probe startupProbe,omitempty print=21
Lifecycle *Lifecycle lifecycle,omitempty print=11
TerminationMessagePath string terminationMessagePath,omitempty print=12
TerminationMessagePolicy TerminationMessagePolicy terminationMessagePolicy,omitempty print=19
ImagePullPolicy PullPolicy imagePullPolicy,omitempty print=13
SecurityContext *SecurityContext securityContext,omitempty print=14
Stdin bool stdin,omitempty print=15
StdinOnce bool stdinOnce,omitempty print=16
TTY bool tty,omitempty print=17
""",
    "PodSecurityContext": """
SELinuxOptions *SELinuxOptions seLinuxOptions,omitempty print=0
WindowsOptions *WindowsSecurityContextOptions windowsOptions,omitempty since=14 print=7
RunAsUser *int64 runAsUser,omitempty print=1
RunAsGroup *int64 runAsGroup,omitempty print=5
RunAsNonRoot *bool runAsNonRoot,omitempty print=2
SupplementalGroups []int64 supplementalGroups,omitempty print=3
SupplementalGroupsPolicy *SupplementalGroupsPolicy supplementalGroupsPolicy,omitempty since=31 print=11
FSGroup *int64 fsGroup,omitempty print=4
Sysctls []Sysctl sysctls,omitempty since=11 print=6
FSGroupChangePolicy *PodFSGroupChangePolicy fsGroupChangePolicy,omitempty since=18 print=8
SeccompProfile *SeccompProfile seccompProfile,omitempty since=19 print=9
AppArmorProfile *AppArmorProfile appArmorProfile,omitempty since=30 print=10
SELinuxChangePolicy *PodSELinuxChangePolicy seLinuxChangePolicy,omitempty since=32 print=12
""",
    "Sysctl": """
Name string name
Value string value
""",
    "Affinity": """
NodeAffinity *NodeAffinity nodeAffinity,omitempty
PodAffinity *PodAffinity podAffinity,omitempty
PodAntiAffinity *PodAntiAffinity podAntiAffinity,omitempty
""",
    "NodeAffinity": """
RequiredDuringSchedulingIgnoredDuringExecution *NodeSelector requiredDuringSchedulingIgnoredDuringExecution,omitempty
PreferredDuringSchedulingIgnoredDuringExecution []PreferredSchedulingTerm preferredDuringSchedulingIgnoredDuringExecution,omitempty
""",
    "NodeSelector": """
NodeSelectorTerms []NodeSelectorTerm nodeSelectorTerms
""",
    "NodeSelectorTerm": """
MatchExpressions []NodeSelectorRequirement matchExpressions,omitempty
MatchFields []NodeSelectorRequirement matchFields,omitempty since=11
""",
    "NodeSelectorRequirement": """
Key string key
Operator NodeSelectorOperator operator
Values []string values,omitempty
""",
    "PreferredSchedulingTerm": """
Weight int32 weight
Preference NodeSelectorTerm preference
""",
    "PodAffinity": """
RequiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm requiredDuringSchedulingIgnoredDuringExecution,omitempty
PreferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution,omitempty
""",
    "PodAffinityTerm": """
LabelSelector *LabelSelector labelSelector,omitempty
Namespaces []string namespaces,omitempty
TopologyKey string topologyKey
NamespaceSelector *LabelSelector namespaceSelector,omitempty since=21
MatchLabelKeys []string matchLabelKeys,omitempty since=29
MismatchLabelKeys []string mismatchLabelKeys,omitempty since=29
""",
    "WeightedPodAffinityTerm": """
Weight int32 weight
PodAffinityTerm PodAffinityTerm podAffinityTerm
""",
    "PodAntiAffinity": """
RequiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm requiredDuringSchedulingIgnoredDuringExecution,omitempty
PreferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution,omitempty
""",
    "Toleration": """
Key string key,omitempty
Operator TolerationOperator operator,omitempty
Value string value,omitempty
Effect TaintEffect effect,omitempty
TolerationSeconds *int64 tolerationSeconds,omitempty
""",
    "HostAlias": """
IP string ip,omitempty until=30
IP string ip since=31
Hostnames []string hostnames,omitempty
""",
    "PodDNSConfig": """
Nameservers []string nameservers,omitempty
Searches []string searches,omitempty
Options []PodDNSConfigOption options,omitempty
""",
    "PodDNSConfigOption": """
Name string name,omitempty
Value *string value,omitempty
""",
    "PodReadinessGate": """
ConditionType PodConditionType conditionType
""",
    "TopologySpreadConstraint": """
MaxSkew int32 maxSkew
TopologyKey string topologyKey
WhenUnsatisfiable UnsatisfiableConstraintAction whenUnsatisfiable
LabelSelector *LabelSelector labelSelector,omitempty
MinDomains *int32 minDomains,omitempty since=24
NodeAffinityPolicy *NodeInclusionPolicy nodeAffinityPolicy,omitempty since=25
NodeTaintsPolicy *NodeInclusionPolicy nodeTaintsPolicy,omitempty since=25
MatchLabelKeys []string matchLabelKeys,omitempty since=25
""",
    "PodOS": """
Name OSName name
""",
    "PodSchedulingGate": """
Name string name
""",
    "PodResourceClaim": """
Name string name
ResourceClaimName *string resourceClaimName,omitempty since=31
ResourceClaimTemplateName *string resourceClaimTemplateName,omitempty since=31
Source ClaimSource source,omitempty until=30
""",
    "PodSchedulingGroup": """
PodGroupName *string podGroupName,omitempty
""",
    "EvictionResponder": """
Name string name
Priority *int32 priority
""",
    "PodStatus": """
ObservedGeneration int64 observedGeneration,omitempty since=33 print=16
Phase PodPhase phase,omitempty print=0
Conditions []PodCondition conditions,omitempty patch=merge key=type print=1
Message string message,omitempty print=2
Reason string reason,omitempty print=3
NominatedNodeName string nominatedNodeName,omitempty print=10
HostIP string hostIP,omitempty print=4
HostIPs []HostIP hostIPs,omitempty patch=merge key=ip since=28 print=15
PodIP string podIP,omitempty print=5
PodIPs []PodIP podIPs,omitempty patch=merge key=ip since=16 print=11
StartTime *Time startTime,omitempty print=6
InitContainerStatuses []ContainerStatus initContainerStatuses,omitempty print=9
ContainerStatuses []ContainerStatus containerStatuses,omitempty print=7
QOSClass PodQOSClass qosClass,omitempty print=8
EphemeralContainerStatuses []ContainerStatus ephemeralContainerStatuses,omitempty since=16 print=12
Resize PodResizeStatus resize,omitempty since=27 print=13
ResourceClaimStatuses []PodResourceClaimStatus resourceClaimStatuses,omitempty patch=merge,retainKeys key=name since=28 print=14
ExtendedResourceClaimStatus *PodExtendedResourceClaimStatus extendedResourceClaimStatus,omitempty since=34 print=17
AllocatedResources ResourceList allocatedResources,omitempty since=35 print=18
Resources *ResourceRequirements resources,omitempty since=35 print=19
NodeAllocatableResourceClaimStatuses []NodeAllocatableResourceClaimStatus nodeAllocatableResourceClaimStatuses,omitempty since=36 until=36 print=20
NodeAllocatableResourceClaimStatuses []NodeAllocatableResourceClaimStatus nodeAllocatableResourceClaimStatuses,omitempty patch=merge key=resourceClaimName since=37 print=20
VolumeHealth []PodVolumeHealth volumeHealth,omitempty since=37 print=21
""",
    "PodCondition": """
Type PodConditionType type print=0
ObservedGeneration int64 observedGeneration,omitempty since=33 print=6
Status ConditionStatus status print=1
LastProbeTime Time lastProbeTime,omitempty print=2
LastTransitionTime Time lastTransitionTime,omitempty print=3
Reason string reason,omitempty print=4
Message string message,omitempty print=5
""",
    "HostIP": """
IP string ip,omitempty until=30
IP string ip since=31
""",
    "PodIP": """
IP string ip,omitempty until=30
IP string ip since=31
""",
    "ContainerStatus": """
Name string name
State ContainerState state,omitempty
LastTerminationState ContainerState lastState,omitempty
Ready bool ready
RestartCount int32 restartCount
Image string image
ImageID string imageID
ContainerID string containerID,omitempty
Started *bool started,omitempty since=16
AllocatedResources ResourceList allocatedResources,omitempty since=27
Resources *ResourceRequirements resources,omitempty since=27
VolumeMounts []VolumeMountStatus volumeMounts,omitempty patch=merge key=mountPath since=30
User *ContainerUser user,omitempty since=31
AllocatedResourcesStatus []ResourceStatus allocatedResourcesStatus,omitempty patch=merge key=name since=31
StopSignal *Signal stopSignal,omitempty since=33
""",
    "ContainerState": """
Waiting *ContainerStateWaiting waiting,omitempty
Running *ContainerStateRunning running,omitempty
Terminated *ContainerStateTerminated terminated,omitempty
""",
    "ContainerStateWaiting": """
Reason string reason,omitempty
Message string message,omitempty
""",
    "ContainerStateRunning": """
StartedAt Time startedAt,omitempty
""",
    "ContainerStateTerminated": """
ExitCode int32 exitCode
Signal int32 signal,omitempty
Reason string reason,omitempty
Message string message,omitempty
StartedAt Time startedAt,omitempty
FinishedAt Time finishedAt,omitempty
ContainerID string containerID,omitempty
""",
    "VolumeMountStatus": """
Name string name
MountPath string mountPath
ReadOnly bool readOnly,omitempty
RecursiveReadOnly *RecursiveReadOnlyMode recursiveReadOnly,omitempty
VolumeStatus *VolumeStatus volumeStatus,omitempty since=36
""",
    "VolumeStatus": """
Image *ImageVolumeStatus image,omitempty
""",
    "ImageVolumeStatus": """
ImageRef string imageRef,omitempty
""",
    "ContainerUser": """
Linux *LinuxContainerUser linux,omitempty
""",
    "LinuxContainerUser": """
UID int64 uid
GID int64 gid
SupplementalGroups []int64 supplementalGroups,omitempty
""",
    "ResourceStatus": """
Name ResourceName name
Resources []ResourceHealth resources,omitempty
""",
    "ResourceHealth": """
ResourceID ResourceID resourceID
Health ResourceHealthStatus health,omitempty
Message *string message,omitempty since=36
""",
    "PodResourceClaimStatus": """
Name string name
ResourceClaimName *string resourceClaimName,omitempty
""",
    "PodExtendedResourceClaimStatus": """
RequestMappings []ContainerExtendedResourceRequest requestMappings
ResourceClaimName string resourceClaimName
""",
    "ContainerExtendedResourceRequest": """
ContainerName string containerName
ResourceName string resourceName
RequestName string requestName
""",
    "NodeAllocatableResourceClaimStatus": """
ResourceClaimName string resourceClaimName
Containers []string containers,omitempty
Mapping []NodeAllocatableMappedResources mapping,omitempty patch=merge key=name since=37
Overhead []NodeAllocatableOverheadResources overhead,omitempty patch=merge key=name since=37
Resources map[ResourceName]resource.Quantity resources until=36
""",
    "NodeAllocatableMappedResources": """
Name ResourceName name
Quantity *resource.Quantity quantity
""",
    "NodeAllocatableOverheadResources": """
Name ResourceName name
PerPod *resource.Quantity perPod,omitempty
PerContainer *resource.Quantity perContainer,omitempty
""",
    "PodVolumeHealth": """
Name string name
HealthConditions []VolumeHealthCondition healthConditions,omitempty patch=merge key=status
LastTransitionTime Time lastTransitionTime,omitempty
""",
    "VolumeHealthCondition": """
Status VolumeHealthStatusType status
Reason string reason
Message string message,omitempty
""",
    "Namespace": """
TypeMeta TypeMeta ,embedded
ObjectMeta ObjectMeta metadata,omitempty,embedded
Spec NamespaceSpec spec,omitempty
Status NamespaceStatus status,omitempty
""",
    "NamespaceSpec": """
Finalizers []FinalizerName finalizers,omitempty
""",
    "NamespaceStatus": """
Phase NamespacePhase phase,omitempty
Conditions []NamespaceCondition conditions,omitempty patch=merge key=type
""",
    "NamespaceCondition": """
Type NamespaceConditionType type
Status ConditionStatus status
LastTransitionTime Time lastTransitionTime,omitempty
Reason string reason,omitempty
Message string message,omitempty
""",
    "ClaimSource": """
ResourceClaimName *string resourceClaimName,omitempty
ResourceClaimTemplateName *string resourceClaimTemplateName,omitempty
""",
    "Handler": """
Exec *ExecAction exec,omitempty
HTTPGet *HTTPGetAction httpGet,omitempty
TCPSocket *TCPSocketAction tcpSocket,omitempty
""",
    "WorkloadReference": """
Name string name
PodGroup string podGroup
PodGroupReplicaKey string podGroupReplicaKey,omitempty
""",
    "CronJob": """
TypeMeta TypeMeta ,embedded
ObjectMeta ObjectMeta metadata,omitempty,embedded
Spec CronJobSpec spec,omitempty
Status CronJobStatus status,omitempty
""",
    "CronJobSpec": """
Schedule string schedule
TimeZone *string timeZone,omitempty
StartingDeadlineSeconds *int64 startingDeadlineSeconds,omitempty
ConcurrencyPolicy ConcurrencyPolicy concurrencyPolicy,omitempty
Suspend *bool suspend,omitempty
JobTemplate JobTemplateSpec jobTemplate
SuccessfulJobsHistoryLimit *int32 successfulJobsHistoryLimit,omitempty
FailedJobsHistoryLimit *int32 failedJobsHistoryLimit,omitempty
""",
    "CronJobStatus": """
Active []ObjectReference active,omitempty
LastScheduleTime *Time lastScheduleTime,omitempty
LastSuccessfulTime *Time lastSuccessfulTime,omitempty
""",
    "DaemonSet": """
TypeMeta TypeMeta ,embedded
ObjectMeta ObjectMeta metadata,omitempty,embedded
Spec DaemonSetSpec spec,omitempty
Status DaemonSetStatus status,omitempty
""",
    "DaemonSetCondition": """
Type DaemonSetConditionType type
Status ConditionStatus status
LastTransitionTime Time lastTransitionTime,omitempty
Reason string reason,omitempty
Message string message,omitempty
""",
    "DaemonSetSpec": """
Selector *LabelSelector selector
Template PodTemplateSpec template
UpdateStrategy DaemonSetUpdateStrategy updateStrategy,omitempty
MinReadySeconds int32 minReadySeconds,omitempty
RevisionHistoryLimit *int32 revisionHistoryLimit,omitempty
""",
    "DaemonSetStatus": """
CurrentNumberScheduled int32 currentNumberScheduled
NumberMisscheduled int32 numberMisscheduled
DesiredNumberScheduled int32 desiredNumberScheduled
NumberReady int32 numberReady
ObservedGeneration int64 observedGeneration,omitempty
UpdatedNumberScheduled int32 updatedNumberScheduled,omitempty
NumberAvailable int32 numberAvailable,omitempty
NumberUnavailable int32 numberUnavailable,omitempty
CollisionCount *int32 collisionCount,omitempty
Conditions []DaemonSetCondition conditions,omitempty patch=merge key=type
""",
    "DaemonSetUpdateStrategy": """
Type DaemonSetUpdateStrategyType type,omitempty
RollingUpdate *RollingUpdateDaemonSet rollingUpdate,omitempty
""",
    "Deployment": """
TypeMeta TypeMeta ,embedded
ObjectMeta ObjectMeta metadata,omitempty,embedded
Spec DeploymentSpec spec,omitempty
Status DeploymentStatus status,omitempty
""",
    "DeploymentCondition": """
Type DeploymentConditionType type
Status ConditionStatus status
LastUpdateTime Time lastUpdateTime,omitempty
LastTransitionTime Time lastTransitionTime,omitempty
Reason string reason,omitempty
Message string message,omitempty
""",
    "DeploymentSpec": """
Replicas *int32 replicas,omitempty
Selector *LabelSelector selector
Template PodTemplateSpec template
Strategy DeploymentStrategy strategy,omitempty patch=retainKeys
MinReadySeconds int32 minReadySeconds,omitempty
RevisionHistoryLimit *int32 revisionHistoryLimit,omitempty
Paused bool paused,omitempty
ProgressDeadlineSeconds *int32 progressDeadlineSeconds,omitempty
""",
    "DeploymentStatus": """
ObservedGeneration int64 observedGeneration,omitempty
Replicas int32 replicas,omitempty
UpdatedReplicas int32 updatedReplicas,omitempty
ReadyReplicas int32 readyReplicas,omitempty
AvailableReplicas int32 availableReplicas,omitempty
UnavailableReplicas int32 unavailableReplicas,omitempty
TerminatingReplicas *int32 terminatingReplicas,omitempty
Conditions []DeploymentCondition conditions,omitempty patch=merge key=type
CollisionCount *int32 collisionCount,omitempty
""",
    "DeploymentStrategy": """
Type DeploymentStrategyType type,omitempty
RollingUpdate *RollingUpdateDeployment rollingUpdate,omitempty
""",
    "Job": """
TypeMeta TypeMeta ,embedded
ObjectMeta ObjectMeta metadata,omitempty,embedded
Spec JobSpec spec,omitempty
Status JobStatus status,omitempty
""",
    "JobCondition": """
Type JobConditionType type
Status ConditionStatus status
LastProbeTime Time lastProbeTime,omitempty
LastTransitionTime Time lastTransitionTime,omitempty
Reason string reason,omitempty
Message string message,omitempty
""",
    "JobSchedulingConfiguration": """
SchedulingPolicy *v1alpha3.WorkloadPodGroupSchedulingPolicy schedulingPolicy,omitempty
SchedulingConstraints *v1alpha3.WorkloadPodGroupSchedulingConstraints schedulingConstraints,omitempty
DisruptionMode *v1alpha3.WorkloadPodGroupDisruptionMode disruptionMode,omitempty
ResourceClaims []v1alpha3.WorkloadPodGroupResourceClaim resourceClaims,omitempty patch=merge key=name
""",
    "JobSpec": """
Parallelism *int32 parallelism,omitempty
Completions *int32 completions,omitempty
ActiveDeadlineSeconds *int64 activeDeadlineSeconds,omitempty
PodFailurePolicy *PodFailurePolicy podFailurePolicy,omitempty
SuccessPolicy *SuccessPolicy successPolicy,omitempty
BackoffLimit *int32 backoffLimit,omitempty
BackoffLimitPerIndex *int32 backoffLimitPerIndex,omitempty
MaxFailedIndexes *int32 maxFailedIndexes,omitempty
Selector *LabelSelector selector,omitempty
ManualSelector *bool manualSelector,omitempty
Template PodTemplateSpec template
TTLSecondsAfterFinished *int32 ttlSecondsAfterFinished,omitempty
CompletionMode *CompletionMode completionMode,omitempty
Suspend *bool suspend,omitempty
PodReplacementPolicy *PodReplacementPolicy podReplacementPolicy,omitempty
ManagedBy *string managedBy,omitempty
Scheduling *JobSchedulingConfiguration scheduling,omitempty
""",
    "JobStatus": """
Conditions []JobCondition conditions,omitempty patch=merge key=type
StartTime *Time startTime,omitempty
CompletionTime *Time completionTime,omitempty
Active int32 active,omitempty
Succeeded int32 succeeded,omitempty
Failed int32 failed,omitempty
Terminating *int32 terminating,omitempty
CompletedIndexes string completedIndexes,omitempty
FailedIndexes *string failedIndexes,omitempty
UncountedTerminatedPods *UncountedTerminatedPods uncountedTerminatedPods,omitempty
Ready *int32 ready,omitempty
""",
    "JobTemplateSpec": """
ObjectMeta ObjectMeta metadata,omitempty,embedded
Spec JobSpec spec,omitempty
""",
    "ModifyVolumeStatus": """
TargetVolumeAttributesClassName string targetVolumeAttributesClassName,omitempty
Status PersistentVolumeClaimModifyVolumeStatus status
""",
    "ObjectReference": """
Kind string kind,omitempty
Namespace string namespace,omitempty
Name string name,omitempty
UID types.UID uid,omitempty
APIVersion string apiVersion,omitempty
ResourceVersion string resourceVersion,omitempty
FieldPath string fieldPath,omitempty
""",
    "PersistentVolumeClaim": """
TypeMeta TypeMeta ,embedded
ObjectMeta ObjectMeta metadata,omitempty,embedded
Spec PersistentVolumeClaimSpec spec,omitempty
Status PersistentVolumeClaimStatus status,omitempty
""",
    "PersistentVolumeClaimCondition": """
Type PersistentVolumeClaimConditionType type
Status ConditionStatus status
LastProbeTime Time lastProbeTime,omitempty
LastTransitionTime Time lastTransitionTime,omitempty
Reason string reason,omitempty
Message string message,omitempty
""",
    "PersistentVolumeClaimStatus": """
Phase PersistentVolumeClaimPhase phase,omitempty
AccessModes []PersistentVolumeAccessMode accessModes,omitempty
Capacity ResourceList capacity,omitempty
Conditions []PersistentVolumeClaimCondition conditions,omitempty patch=merge key=type
AllocatedResources ResourceList allocatedResources,omitempty
AllocatedResourceStatuses map[ResourceName]ClaimResourceStatus allocatedResourceStatuses,omitempty
CurrentVolumeAttributesClassName *string currentVolumeAttributesClassName,omitempty
ModifyVolumeStatus *ModifyVolumeStatus modifyVolumeStatus,omitempty
HealthStatus *VolumeHealthStatus healthStatus,omitempty
""",
    "PodFailurePolicy": """
Rules []PodFailurePolicyRule rules
""",
    "PodFailurePolicyOnExitCodesRequirement": """
ContainerName *string containerName,omitempty
Operator PodFailurePolicyOnExitCodesOperator operator
Values []int32 values
""",
    "PodFailurePolicyOnPodConditionsPattern": """
Type PodConditionType type
Status ConditionStatus status
""",
    "PodFailurePolicyRule": """
Action PodFailurePolicyAction action
OnExitCodes *PodFailurePolicyOnExitCodesRequirement onExitCodes,omitempty
OnPodConditions []PodFailurePolicyOnPodConditionsPattern onPodConditions,omitempty
""",
    "PodTemplate": """
TypeMeta TypeMeta ,embedded
ObjectMeta ObjectMeta metadata,omitempty,embedded
Template PodTemplateSpec template,omitempty
""",
    "PodTemplateSpec": """
ObjectMeta ObjectMeta metadata,omitempty,embedded
Spec PodSpec spec,omitempty
""",
    "ReplicaSet": """
TypeMeta TypeMeta ,embedded
ObjectMeta ObjectMeta metadata,omitempty,embedded
Spec ReplicaSetSpec spec,omitempty
Status ReplicaSetStatus status,omitempty
""",
    "ReplicaSetCondition": """
Type ReplicaSetConditionType type
Status ConditionStatus status
LastTransitionTime Time lastTransitionTime,omitempty
Reason string reason,omitempty
Message string message,omitempty
""",
    "ReplicaSetSpec": """
Replicas *int32 replicas,omitempty
MinReadySeconds int32 minReadySeconds,omitempty
Selector *LabelSelector selector
Template PodTemplateSpec template,omitempty
""",
    "ReplicaSetStatus": """
Replicas int32 replicas
FullyLabeledReplicas int32 fullyLabeledReplicas,omitempty
ReadyReplicas int32 readyReplicas,omitempty
AvailableReplicas int32 availableReplicas,omitempty
TerminatingReplicas *int32 terminatingReplicas,omitempty
ObservedGeneration int64 observedGeneration,omitempty
Conditions []ReplicaSetCondition conditions,omitempty patch=merge key=type
""",
    "ReplicationController": """
TypeMeta TypeMeta ,embedded
ObjectMeta ObjectMeta metadata,omitempty,embedded
Spec ReplicationControllerSpec spec,omitempty
Status ReplicationControllerStatus status,omitempty
""",
    "ReplicationControllerCondition": """
Type ReplicationControllerConditionType type
Status ConditionStatus status
LastTransitionTime Time lastTransitionTime,omitempty
Reason string reason,omitempty
Message string message,omitempty
""",
    "ReplicationControllerSpec": """
Replicas *int32 replicas,omitempty print=0
MinReadySeconds int32 minReadySeconds,omitempty print=3
Selector map[string]string selector,omitempty print=1
Template *PodTemplateSpec template,omitempty print=2
""",
    "ReplicationControllerStatus": """
Replicas int32 replicas print=0
FullyLabeledReplicas int32 fullyLabeledReplicas,omitempty print=1
ReadyReplicas int32 readyReplicas,omitempty print=3
AvailableReplicas int32 availableReplicas,omitempty print=4
ObservedGeneration int64 observedGeneration,omitempty print=2
Conditions []ReplicationControllerCondition conditions,omitempty patch=merge key=type print=5
""",
    "RollingUpdateDaemonSet": """
MaxUnavailable *intstr.IntOrString maxUnavailable,omitempty
MaxSurge *intstr.IntOrString maxSurge,omitempty
""",
    "RollingUpdateDeployment": """
MaxUnavailable *intstr.IntOrString maxUnavailable,omitempty
MaxSurge *intstr.IntOrString maxSurge,omitempty
""",
    "RollingUpdateStatefulSetStrategy": """
Partition *int32 partition,omitempty
MaxUnavailable *intstr.IntOrString maxUnavailable,omitempty
""",
    "StatefulSet": """
TypeMeta TypeMeta ,embedded
ObjectMeta ObjectMeta metadata,omitempty,embedded
Spec StatefulSetSpec spec,omitempty
Status StatefulSetStatus status,omitempty
""",
    "StatefulSetCondition": """
Type StatefulSetConditionType type
Status ConditionStatus status
LastTransitionTime Time lastTransitionTime,omitempty
Reason string reason,omitempty
Message string message,omitempty
""",
    "StatefulSetOrdinals": """
Start int32 start
""",
    "StatefulSetPersistentVolumeClaimRetentionPolicy": """
WhenDeleted PersistentVolumeClaimRetentionPolicyType whenDeleted,omitempty
WhenScaled PersistentVolumeClaimRetentionPolicyType whenScaled,omitempty
""",
    "StatefulSetSpec": """
Replicas *int32 replicas,omitempty
Selector *LabelSelector selector
Template PodTemplateSpec template
VolumeClaimTemplates []PersistentVolumeClaim volumeClaimTemplates,omitempty
ServiceName string serviceName
PodManagementPolicy PodManagementPolicyType podManagementPolicy,omitempty
UpdateStrategy StatefulSetUpdateStrategy updateStrategy,omitempty
RevisionHistoryLimit *int32 revisionHistoryLimit,omitempty
MinReadySeconds int32 minReadySeconds,omitempty
PersistentVolumeClaimRetentionPolicy *StatefulSetPersistentVolumeClaimRetentionPolicy persistentVolumeClaimRetentionPolicy,omitempty
Ordinals *StatefulSetOrdinals ordinals,omitempty
""",
    "StatefulSetStatus": """
ObservedGeneration int64 observedGeneration,omitempty
Replicas int32 replicas
ReadyReplicas int32 readyReplicas,omitempty
CurrentReplicas int32 currentReplicas,omitempty
UpdatedReplicas int32 updatedReplicas,omitempty
CurrentRevision string currentRevision,omitempty
UpdateRevision string updateRevision,omitempty
CollisionCount *int32 collisionCount,omitempty
Conditions []StatefulSetCondition conditions,omitempty patch=merge key=type
AvailableReplicas int32 availableReplicas
""",
    "StatefulSetUpdateStrategy": """
Type StatefulSetUpdateStrategyType type,omitempty
RollingUpdate *RollingUpdateStatefulSetStrategy rollingUpdate,omitempty
""",
    "SuccessPolicy": """
Rules []SuccessPolicyRule rules
""",
    "SuccessPolicyRule": """
SucceededIndexes *string succeededIndexes,omitempty
SucceededCount *int32 succeededCount,omitempty
""",
    "UncountedTerminatedPods": """
Succeeded []types.UID succeeded,omitempty
Failed []types.UID failed,omitempty
""",
    "VolumeHealthStatus": """
HealthConditions []VolumeHealthCondition healthConditions,omitempty patch=merge key=status
LastTransitionTime Time lastTransitionTime,omitempty
""",
    "v1alpha3.TopologyConstraint": """
Key string key
""",
    "v1alpha3.WorkloadPodGroupAllDisruptionMode": """
""",
    "v1alpha3.WorkloadPodGroupBasicSchedulingPolicy": """
""",
    "v1alpha3.WorkloadPodGroupDisruptionMode": """
Single *v1alpha3.WorkloadPodGroupSingleDisruptionMode single,omitempty
All *v1alpha3.WorkloadPodGroupAllDisruptionMode all,omitempty
""",
    "v1alpha3.WorkloadPodGroupGangSchedulingPolicy": """
MinCount *int32 minCount,omitempty
""",
    "v1alpha3.WorkloadPodGroupResourceClaim": """
Name string name
ResourceClaimName *string resourceClaimName,omitempty
ResourceClaimTemplateName *string resourceClaimTemplateName,omitempty
""",
    "v1alpha3.WorkloadPodGroupSchedulingConstraints": """
Topology []v1alpha3.TopologyConstraint topology,omitempty
""",
    "v1alpha3.WorkloadPodGroupSchedulingPolicy": """
Basic *v1alpha3.WorkloadPodGroupBasicSchedulingPolicy basic,omitempty
Gang *v1alpha3.WorkloadPodGroupGangSchedulingPolicy gang,omitempty
""",
    "v1alpha3.WorkloadPodGroupSingleDisruptionMode": """
""",
}
