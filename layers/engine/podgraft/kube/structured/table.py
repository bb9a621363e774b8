"""The fields of Kubernetes' kinds, for merges; by tools/generate/kube_schemas.py."""
# ruff: noqa: E501 (some of Kubernetes' names are longer than a line)

# A line a field: its name, its type, and the first and last Kubernetes minor that has it so.
# s string, n number, b boolean, u any scalar, * anything, ? anything as one value, @X a struct,
# <T a map, [T a list as one value, {}T a set, {a,b}T a list by its keys, ! one value, + its fields.
# ~ and a default follow the type of a key.
STRUCTS = {
    "admissionregistration.v1.ApplyConfiguration": """
expression s since=36
""",
    "admissionregistration.v1.AuditAnnotation": """
key s since=30
valueExpression s since=30
""",
    "admissionregistration.v1.ExpressionWarning": """
fieldRef s since=30
warning s since=30
""",
    "admissionregistration.v1.JSONPatch": """
expression s since=36
""",
    "admissionregistration.v1.MatchCondition": """
expression s
name s~""
""",
    "admissionregistration.v1.MatchResources": """
! since=30
excludeResourceRules [@admissionregistration.v1.NamedRuleWithOperations since=30
matchPolicy s since=30
namespaceSelector @meta.v1.LabelSelector since=30
objectSelector @meta.v1.LabelSelector since=30
resourceRules [@admissionregistration.v1.NamedRuleWithOperations since=30
""",
    "admissionregistration.v1.MutatingAdmissionPolicy": """
apiVersion s since=36
kind s since=36
metadata @meta.v1.ObjectMeta since=36
spec @admissionregistration.v1.MutatingAdmissionPolicySpec since=36
""",
    "admissionregistration.v1.MutatingAdmissionPolicyBinding": """
apiVersion s since=36
kind s since=36
metadata @meta.v1.ObjectMeta since=36
spec @admissionregistration.v1.MutatingAdmissionPolicyBindingSpec since=36
""",
    "admissionregistration.v1.MutatingAdmissionPolicyBindingList": """
apiVersion s since=36
items [@admissionregistration.v1.MutatingAdmissionPolicyBinding since=36
kind s since=36
metadata @meta.v1.ListMeta since=36
""",
    "admissionregistration.v1.MutatingAdmissionPolicyBindingSpec": """
matchResources @admissionregistration.v1.MatchResources since=36
paramRef @admissionregistration.v1.ParamRef since=36
policyName s since=36
""",
    "admissionregistration.v1.MutatingAdmissionPolicyList": """
apiVersion s since=36
items [@admissionregistration.v1.MutatingAdmissionPolicy since=36
kind s since=36
metadata @meta.v1.ListMeta since=36
""",
    "admissionregistration.v1.MutatingAdmissionPolicySpec": """
failurePolicy s since=36
matchConditions {name}@admissionregistration.v1.MatchCondition since=36
matchConstraints @admissionregistration.v1.MatchResources since=36
mutations [@admissionregistration.v1.Mutation since=36
paramKind @admissionregistration.v1.ParamKind since=36
reinvocationPolicy s since=36
variables [@admissionregistration.v1.Variable since=36
""",
    "admissionregistration.v1.MutatingWebhook": """
admissionReviewVersions [s
clientConfig @admissionregistration.v1.WebhookClientConfig
failurePolicy s
matchConditions {name}@admissionregistration.v1.MatchCondition
matchPolicy s
name s~""
namespaceSelector @meta.v1.LabelSelector
objectSelector @meta.v1.LabelSelector
reinvocationPolicy s
rules [@admissionregistration.v1.RuleWithOperations
sideEffects s
timeoutSeconds n
""",
    "admissionregistration.v1.MutatingWebhookConfiguration": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
webhooks {name}@admissionregistration.v1.MutatingWebhook
""",
    "admissionregistration.v1.MutatingWebhookConfigurationList": """
apiVersion s
items [@admissionregistration.v1.MutatingWebhookConfiguration
kind s
metadata @meta.v1.ListMeta
""",
    "admissionregistration.v1.Mutation": """
applyConfiguration @admissionregistration.v1.ApplyConfiguration since=36
jsonPatch @admissionregistration.v1.JSONPatch since=36
patchType s since=36
""",
    "admissionregistration.v1.NamedRuleWithOperations": """
! since=30
apiGroups [s since=30
apiVersions [s since=30
operations [s since=30
resourceNames [s since=30
resources [s since=30
scope s since=30
""",
    "admissionregistration.v1.ParamKind": """
! since=30
apiVersion s since=30
kind s since=30
""",
    "admissionregistration.v1.ParamRef": """
! since=30
name s since=30
namespace s since=30
parameterNotFoundAction s since=30
selector @meta.v1.LabelSelector since=30
""",
    "admissionregistration.v1.RuleWithOperations": """
apiGroups [s
apiVersions [s
operations [s
resources [s
scope s
""",
    "admissionregistration.v1.ServiceReference": """
name s
namespace s
path s
port n
""",
    "admissionregistration.v1.TypeChecking": """
expressionWarnings [@admissionregistration.v1.ExpressionWarning since=30
""",
    "admissionregistration.v1.ValidatingAdmissionPolicy": """
apiVersion s since=30
kind s since=30
metadata @meta.v1.ObjectMeta since=30
spec @admissionregistration.v1.ValidatingAdmissionPolicySpec since=30
status @admissionregistration.v1.ValidatingAdmissionPolicyStatus since=30
""",
    "admissionregistration.v1.ValidatingAdmissionPolicyBinding": """
apiVersion s since=30
kind s since=30
metadata @meta.v1.ObjectMeta since=30
spec @admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec since=30
""",
    "admissionregistration.v1.ValidatingAdmissionPolicyBindingList": """
apiVersion s since=30
items [@admissionregistration.v1.ValidatingAdmissionPolicyBinding since=30
kind s since=30
metadata @meta.v1.ListMeta since=30
""",
    "admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec": """
matchResources @admissionregistration.v1.MatchResources since=30
paramRef @admissionregistration.v1.ParamRef since=30
policyName s since=30
validationActions {}s since=30
""",
    "admissionregistration.v1.ValidatingAdmissionPolicyList": """
apiVersion s since=30
items [@admissionregistration.v1.ValidatingAdmissionPolicy since=30
kind s since=30
metadata @meta.v1.ListMeta since=30
""",
    "admissionregistration.v1.ValidatingAdmissionPolicySpec": """
auditAnnotations [@admissionregistration.v1.AuditAnnotation since=30
failurePolicy s since=30
matchConditions {name}@admissionregistration.v1.MatchCondition since=30
matchConstraints @admissionregistration.v1.MatchResources since=30
paramKind @admissionregistration.v1.ParamKind since=30
validations [@admissionregistration.v1.Validation since=30
variables {name}@admissionregistration.v1.Variable since=30
""",
    "admissionregistration.v1.ValidatingAdmissionPolicyStatus": """
conditions {type}@meta.v1.Condition since=30
observedGeneration n since=30
typeChecking @admissionregistration.v1.TypeChecking since=30
""",
    "admissionregistration.v1.ValidatingWebhook": """
admissionReviewVersions [s
clientConfig @admissionregistration.v1.WebhookClientConfig
failurePolicy s
matchConditions {name}@admissionregistration.v1.MatchCondition
matchPolicy s
name s~""
namespaceSelector @meta.v1.LabelSelector
objectSelector @meta.v1.LabelSelector
rules [@admissionregistration.v1.RuleWithOperations
sideEffects s
timeoutSeconds n
""",
    "admissionregistration.v1.ValidatingWebhookConfiguration": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
webhooks {name}@admissionregistration.v1.ValidatingWebhook
""",
    "admissionregistration.v1.ValidatingWebhookConfigurationList": """
apiVersion s
items [@admissionregistration.v1.ValidatingWebhookConfiguration
kind s
metadata @meta.v1.ListMeta
""",
    "admissionregistration.v1.Validation": """
expression s since=30
message s since=30
messageExpression s since=30
reason s since=30
""",
    "admissionregistration.v1.Variable": """
! since=30
expression s since=30
name s~"" since=30
""",
    "admissionregistration.v1.WebhookClientConfig": """
caBundle s
service @admissionregistration.v1.ServiceReference
url s
""",
    "admissionregistration.v1alpha1.ApplyConfiguration": """
expression s since=32
""",
    "admissionregistration.v1alpha1.AuditAnnotation": """
key s until=31
valueExpression s until=31
""",
    "admissionregistration.v1alpha1.ExpressionWarning": """
fieldRef s until=31
warning s until=31
""",
    "admissionregistration.v1alpha1.JSONPatch": """
expression s since=32
""",
    "admissionregistration.v1alpha1.MatchCondition": """
expression s
name s~""
""",
    "admissionregistration.v1alpha1.MatchResources": """
!
excludeResourceRules [@admissionregistration.v1alpha1.NamedRuleWithOperations
matchPolicy s
namespaceSelector @meta.v1.LabelSelector
objectSelector @meta.v1.LabelSelector
resourceRules [@admissionregistration.v1alpha1.NamedRuleWithOperations
""",
    "admissionregistration.v1alpha1.MutatingAdmissionPolicy": """
apiVersion s since=32
kind s since=32
metadata @meta.v1.ObjectMeta since=32
spec @admissionregistration.v1alpha1.MutatingAdmissionPolicySpec since=32
""",
    "admissionregistration.v1alpha1.MutatingAdmissionPolicyBinding": """
apiVersion s since=32
kind s since=32
metadata @meta.v1.ObjectMeta since=32
spec @admissionregistration.v1alpha1.MutatingAdmissionPolicyBindingSpec since=32
""",
    "admissionregistration.v1alpha1.MutatingAdmissionPolicyBindingList": """
apiVersion s since=32
items [@admissionregistration.v1alpha1.MutatingAdmissionPolicyBinding since=32
kind s since=32
metadata @meta.v1.ListMeta since=32
""",
    "admissionregistration.v1alpha1.MutatingAdmissionPolicyBindingSpec": """
matchResources @admissionregistration.v1alpha1.MatchResources since=32
paramRef @admissionregistration.v1alpha1.ParamRef since=32
policyName s since=32
""",
    "admissionregistration.v1alpha1.MutatingAdmissionPolicyList": """
apiVersion s since=32
items [@admissionregistration.v1alpha1.MutatingAdmissionPolicy since=32
kind s since=32
metadata @meta.v1.ListMeta since=32
""",
    "admissionregistration.v1alpha1.MutatingAdmissionPolicySpec": """
failurePolicy s since=32
matchConditions {name}@admissionregistration.v1alpha1.MatchCondition since=32
matchConstraints @admissionregistration.v1alpha1.MatchResources since=32
mutations [@admissionregistration.v1alpha1.Mutation since=32
paramKind @admissionregistration.v1alpha1.ParamKind since=32
reinvocationPolicy s since=32
variables [@admissionregistration.v1alpha1.Variable since=32
""",
    "admissionregistration.v1alpha1.Mutation": """
applyConfiguration @admissionregistration.v1alpha1.ApplyConfiguration since=32
jsonPatch @admissionregistration.v1alpha1.JSONPatch since=32
patchType s since=32
""",
    "admissionregistration.v1alpha1.NamedRuleWithOperations": """
!
apiGroups [s
apiVersions [s
operations [s
resourceNames [s
resources [s
scope s
""",
    "admissionregistration.v1alpha1.ParamKind": """
!
apiVersion s
kind s
""",
    "admissionregistration.v1alpha1.ParamRef": """
!
name s
namespace s
parameterNotFoundAction s
selector @meta.v1.LabelSelector
""",
    "admissionregistration.v1alpha1.TypeChecking": """
expressionWarnings [@admissionregistration.v1alpha1.ExpressionWarning until=31
""",
    "admissionregistration.v1alpha1.ValidatingAdmissionPolicy": """
apiVersion s until=31
kind s until=31
metadata @meta.v1.ObjectMeta until=31
spec @admissionregistration.v1alpha1.ValidatingAdmissionPolicySpec until=31
status @admissionregistration.v1alpha1.ValidatingAdmissionPolicyStatus until=31
""",
    "admissionregistration.v1alpha1.ValidatingAdmissionPolicyBinding": """
apiVersion s until=31
kind s until=31
metadata @meta.v1.ObjectMeta until=31
spec @admissionregistration.v1alpha1.ValidatingAdmissionPolicyBindingSpec until=31
""",
    "admissionregistration.v1alpha1.ValidatingAdmissionPolicyBindingList": """
apiVersion s until=31
items [@admissionregistration.v1alpha1.ValidatingAdmissionPolicyBinding until=31
kind s until=31
metadata @meta.v1.ListMeta until=31
""",
    "admissionregistration.v1alpha1.ValidatingAdmissionPolicyBindingSpec": """
matchResources @admissionregistration.v1alpha1.MatchResources until=31
paramRef @admissionregistration.v1alpha1.ParamRef until=31
policyName s until=31
validationActions {}s until=31
""",
    "admissionregistration.v1alpha1.ValidatingAdmissionPolicyList": """
apiVersion s until=31
items [@admissionregistration.v1alpha1.ValidatingAdmissionPolicy until=31
kind s until=31
metadata @meta.v1.ListMeta until=31
""",
    "admissionregistration.v1alpha1.ValidatingAdmissionPolicySpec": """
auditAnnotations [@admissionregistration.v1alpha1.AuditAnnotation until=31
failurePolicy s until=31
matchConditions {name}@admissionregistration.v1alpha1.MatchCondition until=31
matchConstraints @admissionregistration.v1alpha1.MatchResources until=31
paramKind @admissionregistration.v1alpha1.ParamKind until=31
validations [@admissionregistration.v1alpha1.Validation until=31
variables {name}@admissionregistration.v1alpha1.Variable until=31
""",
    "admissionregistration.v1alpha1.ValidatingAdmissionPolicyStatus": """
conditions {type}@meta.v1.Condition until=31
observedGeneration n until=31
typeChecking @admissionregistration.v1alpha1.TypeChecking until=31
""",
    "admissionregistration.v1alpha1.Validation": """
expression s until=31
message s until=31
messageExpression s until=31
reason s until=31
""",
    "admissionregistration.v1alpha1.Variable": """
expression s
name s~""
""",
    "admissionregistration.v1beta1.ApplyConfiguration": """
expression s since=34
""",
    "admissionregistration.v1beta1.AuditAnnotation": """
key s until=33
valueExpression s until=33
""",
    "admissionregistration.v1beta1.ExpressionWarning": """
fieldRef s until=33
warning s until=33
""",
    "admissionregistration.v1beta1.JSONPatch": """
expression s since=34
""",
    "admissionregistration.v1beta1.MatchCondition": """
expression s
name s~""
""",
    "admissionregistration.v1beta1.MatchResources": """
!
excludeResourceRules [@admissionregistration.v1beta1.NamedRuleWithOperations
matchPolicy s
namespaceSelector @meta.v1.LabelSelector
objectSelector @meta.v1.LabelSelector
resourceRules [@admissionregistration.v1beta1.NamedRuleWithOperations
""",
    "admissionregistration.v1beta1.MutatingAdmissionPolicy": """
apiVersion s since=34
kind s since=34
metadata @meta.v1.ObjectMeta since=34
spec @admissionregistration.v1beta1.MutatingAdmissionPolicySpec since=34
""",
    "admissionregistration.v1beta1.MutatingAdmissionPolicyBinding": """
apiVersion s since=34
kind s since=34
metadata @meta.v1.ObjectMeta since=34
spec @admissionregistration.v1beta1.MutatingAdmissionPolicyBindingSpec since=34
""",
    "admissionregistration.v1beta1.MutatingAdmissionPolicyBindingList": """
apiVersion s since=34
items [@admissionregistration.v1beta1.MutatingAdmissionPolicyBinding since=34
kind s since=34
metadata @meta.v1.ListMeta since=34
""",
    "admissionregistration.v1beta1.MutatingAdmissionPolicyBindingSpec": """
matchResources @admissionregistration.v1beta1.MatchResources since=34
paramRef @admissionregistration.v1beta1.ParamRef since=34
policyName s since=34
""",
    "admissionregistration.v1beta1.MutatingAdmissionPolicyList": """
apiVersion s since=34
items [@admissionregistration.v1beta1.MutatingAdmissionPolicy since=34
kind s since=34
metadata @meta.v1.ListMeta since=34
""",
    "admissionregistration.v1beta1.MutatingAdmissionPolicySpec": """
failurePolicy s since=34
matchConditions {name}@admissionregistration.v1beta1.MatchCondition since=34
matchConstraints @admissionregistration.v1beta1.MatchResources since=34
mutations [@admissionregistration.v1beta1.Mutation since=34
paramKind @admissionregistration.v1beta1.ParamKind since=34
reinvocationPolicy s since=34
variables [@admissionregistration.v1beta1.Variable since=34
""",
    "admissionregistration.v1beta1.Mutation": """
applyConfiguration @admissionregistration.v1beta1.ApplyConfiguration since=34
jsonPatch @admissionregistration.v1beta1.JSONPatch since=34
patchType s since=34
""",
    "admissionregistration.v1beta1.NamedRuleWithOperations": """
!
apiGroups [s
apiVersions [s
operations [s
resourceNames [s
resources [s
scope s
""",
    "admissionregistration.v1beta1.ParamKind": """
!
apiVersion s
kind s
""",
    "admissionregistration.v1beta1.ParamRef": """
!
name s
namespace s
parameterNotFoundAction s
selector @meta.v1.LabelSelector
""",
    "admissionregistration.v1beta1.TypeChecking": """
expressionWarnings [@admissionregistration.v1beta1.ExpressionWarning until=33
""",
    "admissionregistration.v1beta1.ValidatingAdmissionPolicy": """
apiVersion s until=33
kind s until=33
metadata @meta.v1.ObjectMeta until=33
spec @admissionregistration.v1beta1.ValidatingAdmissionPolicySpec until=33
status @admissionregistration.v1beta1.ValidatingAdmissionPolicyStatus until=33
""",
    "admissionregistration.v1beta1.ValidatingAdmissionPolicyBinding": """
apiVersion s until=33
kind s until=33
metadata @meta.v1.ObjectMeta until=33
spec @admissionregistration.v1beta1.ValidatingAdmissionPolicyBindingSpec until=33
""",
    "admissionregistration.v1beta1.ValidatingAdmissionPolicyBindingList": """
apiVersion s until=33
items [@admissionregistration.v1beta1.ValidatingAdmissionPolicyBinding until=33
kind s until=33
metadata @meta.v1.ListMeta until=33
""",
    "admissionregistration.v1beta1.ValidatingAdmissionPolicyBindingSpec": """
matchResources @admissionregistration.v1beta1.MatchResources until=33
paramRef @admissionregistration.v1beta1.ParamRef until=33
policyName s until=33
validationActions {}s until=33
""",
    "admissionregistration.v1beta1.ValidatingAdmissionPolicyList": """
apiVersion s until=33
items [@admissionregistration.v1beta1.ValidatingAdmissionPolicy until=33
kind s until=33
metadata @meta.v1.ListMeta until=33
""",
    "admissionregistration.v1beta1.ValidatingAdmissionPolicySpec": """
auditAnnotations [@admissionregistration.v1beta1.AuditAnnotation until=33
failurePolicy s until=33
matchConditions {name}@admissionregistration.v1beta1.MatchCondition until=33
matchConstraints @admissionregistration.v1beta1.MatchResources until=33
paramKind @admissionregistration.v1beta1.ParamKind until=33
validations [@admissionregistration.v1beta1.Validation until=33
variables {name}@admissionregistration.v1beta1.Variable until=33
""",
    "admissionregistration.v1beta1.ValidatingAdmissionPolicyStatus": """
conditions {type}@meta.v1.Condition until=33
observedGeneration n until=33
typeChecking @admissionregistration.v1beta1.TypeChecking until=33
""",
    "admissionregistration.v1beta1.Validation": """
expression s until=33
message s until=33
messageExpression s until=33
reason s until=33
""",
    "admissionregistration.v1beta1.Variable": """
!
expression s
name s~""
""",
    "apiextensions.v1.CustomResourceColumnDefinition": """
description s
format s
jsonPath s
name s
priority n
type s
""",
    "apiextensions.v1.CustomResourceConversion": """
strategy s
webhook @apiextensions.v1.WebhookConversion
""",
    "apiextensions.v1.CustomResourceDefinition": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @apiextensions.v1.CustomResourceDefinitionSpec
status @apiextensions.v1.CustomResourceDefinitionStatus
""",
    "apiextensions.v1.CustomResourceDefinitionCondition": """
lastTransitionTime u
message s
observedGeneration n since=35
reason s
status s
type s~""
""",
    "apiextensions.v1.CustomResourceDefinitionList": """
apiVersion s
items [@apiextensions.v1.CustomResourceDefinition
kind s
metadata @meta.v1.ListMeta
""",
    "apiextensions.v1.CustomResourceDefinitionNames": """
categories [s
kind s
listKind s
plural s
shortNames [s
singular s
""",
    "apiextensions.v1.CustomResourceDefinitionSpec": """
conversion @apiextensions.v1.CustomResourceConversion
group s
names @apiextensions.v1.CustomResourceDefinitionNames
preserveUnknownFields b
scope s
versions [@apiextensions.v1.CustomResourceDefinitionVersion
""",
    "apiextensions.v1.CustomResourceDefinitionStatus": """
acceptedNames @apiextensions.v1.CustomResourceDefinitionNames
conditions {type}@apiextensions.v1.CustomResourceDefinitionCondition
observedGeneration n since=35
storedVersions [s
""",
    "apiextensions.v1.CustomResourceDefinitionVersion": """
additionalPrinterColumns [@apiextensions.v1.CustomResourceColumnDefinition
deprecated b
deprecationWarning s
name s
schema @apiextensions.v1.CustomResourceValidation
selectableFields [@apiextensions.v1.SelectableField since=30
served b
storage b
subresources @apiextensions.v1.CustomResourceSubresources
""",
    "apiextensions.v1.CustomResourceSubresourceScale": """
labelSelectorPath s
specReplicasPath s
statusReplicasPath s
""",
    "apiextensions.v1.CustomResourceSubresources": """
scale @apiextensions.v1.CustomResourceSubresourceScale
status <*
""",
    "apiextensions.v1.CustomResourceValidation": """
openAPIV3Schema @apiextensions.v1.JSONSchemaProps
""",
    "apiextensions.v1.ExternalDocumentation": """
description s
url s
""",
    "apiextensions.v1.JSONSchemaProps": """
$ref s
$schema s
additionalItems *
additionalProperties *
allOf [@apiextensions.v1.JSONSchemaProps
anyOf [@apiextensions.v1.JSONSchemaProps
default *
definitions <@apiextensions.v1.JSONSchemaProps
dependencies <*
description s
enum [*
example *
exclusiveMaximum b
exclusiveMinimum b
externalDocs @apiextensions.v1.ExternalDocumentation
format s
id s
items *
maxItems n
maxLength n
maxProperties n
maximum n
minItems n
minLength n
minProperties n
minimum n
multipleOf n
not @apiextensions.v1.JSONSchemaProps
nullable b
oneOf [@apiextensions.v1.JSONSchemaProps
pattern s
patternProperties <@apiextensions.v1.JSONSchemaProps
properties <@apiextensions.v1.JSONSchemaProps
required [s
title s
type s
uniqueItems b
x-kubernetes-embedded-resource b
x-kubernetes-int-or-string b
x-kubernetes-list-map-keys [s
x-kubernetes-list-type s
x-kubernetes-map-type s
x-kubernetes-preserve-unknown-fields b
x-kubernetes-validations {rule}@apiextensions.v1.ValidationRule
""",
    "apiextensions.v1.SelectableField": """
jsonPath s since=30
""",
    "apiextensions.v1.ServiceReference": """
name s
namespace s
path s
port n
""",
    "apiextensions.v1.ValidationRule": """
fieldPath s
message s
messageExpression s
optionalOldSelf b since=29
reason s
rule s~""
""",
    "apiextensions.v1.WebhookClientConfig": """
caBundle s
service @apiextensions.v1.ServiceReference
url s
""",
    "apiextensions.v1.WebhookConversion": """
clientConfig @apiextensions.v1.WebhookClientConfig
conversionReviewVersions [s
""",
    "apiregistration.v1.APIService": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @apiregistration.v1.APIServiceSpec
status @apiregistration.v1.APIServiceStatus
""",
    "apiregistration.v1.APIServiceCondition": """
lastTransitionTime u
message s
reason s
status s
type s~""
""",
    "apiregistration.v1.APIServiceList": """
apiVersion s
items [@apiregistration.v1.APIService
kind s
metadata @meta.v1.ListMeta
""",
    "apiregistration.v1.APIServiceSpec": """
caBundle s
group s
groupPriorityMinimum n
insecureSkipTLSVerify b
service @apiregistration.v1.ServiceReference
version s
versionPriority n
""",
    "apiregistration.v1.APIServiceStatus": """
conditions {type}@apiregistration.v1.APIServiceCondition
""",
    "apiregistration.v1.ServiceReference": """
name s
namespace s
port n
""",
    "apiserverinternal.v1alpha1.ServerStorageVersion": """
apiServerID s
decodableVersions {}s
encodingVersion s
servedVersions {}s
""",
    "apiserverinternal.v1alpha1.StorageVersion": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec <*
status @apiserverinternal.v1alpha1.StorageVersionStatus
""",
    "apiserverinternal.v1alpha1.StorageVersionCondition": """
lastTransitionTime u
message s
observedGeneration n
reason s
status s
type s~""
""",
    "apiserverinternal.v1alpha1.StorageVersionList": """
apiVersion s
items [@apiserverinternal.v1alpha1.StorageVersion
kind s
metadata @meta.v1.ListMeta
""",
    "apiserverinternal.v1alpha1.StorageVersionStatus": """
commonEncodingVersion s
conditions {type}@apiserverinternal.v1alpha1.StorageVersionCondition
storageVersions {apiServerID}@apiserverinternal.v1alpha1.ServerStorageVersion
""",
    "apps.v1.ControllerRevision": """
apiVersion s
data ?
kind s
metadata @meta.v1.ObjectMeta
revision n
""",
    "apps.v1.ControllerRevisionList": """
apiVersion s
items [@apps.v1.ControllerRevision
kind s
metadata @meta.v1.ListMeta
""",
    "apps.v1.DaemonSet": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @apps.v1.DaemonSetSpec
status @apps.v1.DaemonSetStatus
""",
    "apps.v1.DaemonSetCondition": """
lastTransitionTime u
message s
reason s
status s
type s~""
""",
    "apps.v1.DaemonSetList": """
apiVersion s
items [@apps.v1.DaemonSet
kind s
metadata @meta.v1.ListMeta
""",
    "apps.v1.DaemonSetSpec": """
minReadySeconds n
revisionHistoryLimit n
selector @meta.v1.LabelSelector
template @core.v1.PodTemplateSpec
updateStrategy @apps.v1.DaemonSetUpdateStrategy
""",
    "apps.v1.DaemonSetStatus": """
collisionCount n
conditions {type}@apps.v1.DaemonSetCondition
currentNumberScheduled n
desiredNumberScheduled n
numberAvailable n
numberMisscheduled n
numberReady n
numberUnavailable n
observedGeneration n
updatedNumberScheduled n
""",
    "apps.v1.DaemonSetUpdateStrategy": """
rollingUpdate @apps.v1.RollingUpdateDaemonSet
type s
""",
    "apps.v1.Deployment": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @apps.v1.DeploymentSpec
status @apps.v1.DeploymentStatus
""",
    "apps.v1.DeploymentCondition": """
lastTransitionTime u
lastUpdateTime u
message s
reason s
status s
type s~""
""",
    "apps.v1.DeploymentList": """
apiVersion s
items [@apps.v1.Deployment
kind s
metadata @meta.v1.ListMeta
""",
    "apps.v1.DeploymentSpec": """
minReadySeconds n
paused b
progressDeadlineSeconds n
replicas n
revisionHistoryLimit n
selector @meta.v1.LabelSelector
strategy @apps.v1.DeploymentStrategy
template @core.v1.PodTemplateSpec
""",
    "apps.v1.DeploymentStatus": """
availableReplicas n
collisionCount n
conditions {type}@apps.v1.DeploymentCondition
observedGeneration n
readyReplicas n
replicas n
terminatingReplicas n since=33
unavailableReplicas n
updatedReplicas n
""",
    "apps.v1.DeploymentStrategy": """
rollingUpdate @apps.v1.RollingUpdateDeployment
type s
""",
    "apps.v1.ReplicaSet": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @apps.v1.ReplicaSetSpec
status @apps.v1.ReplicaSetStatus
""",
    "apps.v1.ReplicaSetCondition": """
lastTransitionTime u
message s
reason s
status s
type s~""
""",
    "apps.v1.ReplicaSetList": """
apiVersion s
items [@apps.v1.ReplicaSet
kind s
metadata @meta.v1.ListMeta
""",
    "apps.v1.ReplicaSetSpec": """
minReadySeconds n
replicas n
selector @meta.v1.LabelSelector
template @core.v1.PodTemplateSpec
""",
    "apps.v1.ReplicaSetStatus": """
availableReplicas n
conditions {type}@apps.v1.ReplicaSetCondition
fullyLabeledReplicas n
observedGeneration n
readyReplicas n
replicas n
terminatingReplicas n since=33
""",
    "apps.v1.RollingUpdateDaemonSet": """
maxSurge *
maxUnavailable *
""",
    "apps.v1.RollingUpdateDeployment": """
maxSurge *
maxUnavailable *
""",
    "apps.v1.RollingUpdateStatefulSetStrategy": """
maxUnavailable *
partition n
""",
    "apps.v1.StatefulSet": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @apps.v1.StatefulSetSpec
status @apps.v1.StatefulSetStatus
""",
    "apps.v1.StatefulSetCondition": """
lastTransitionTime u
message s
reason s
status s
type s~""
""",
    "apps.v1.StatefulSetList": """
apiVersion s
items [@apps.v1.StatefulSet
kind s
metadata @meta.v1.ListMeta
""",
    "apps.v1.StatefulSetOrdinals": """
start n
""",
    "apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy": """
whenDeleted s
whenScaled s
""",
    "apps.v1.StatefulSetSpec": """
minReadySeconds n
ordinals @apps.v1.StatefulSetOrdinals
persistentVolumeClaimRetentionPolicy @apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy
podManagementPolicy s
replicas n
revisionHistoryLimit n
selector @meta.v1.LabelSelector
serviceName s
template @core.v1.PodTemplateSpec
updateStrategy @apps.v1.StatefulSetUpdateStrategy
volumeClaimTemplates [@core.v1.PersistentVolumeClaim
""",
    "apps.v1.StatefulSetStatus": """
availableReplicas n
collisionCount n
conditions {type}@apps.v1.StatefulSetCondition
currentReplicas n
currentRevision s
observedGeneration n
readyReplicas n
replicas n
updateRevision s
updatedReplicas n
""",
    "apps.v1.StatefulSetUpdateStrategy": """
rollingUpdate @apps.v1.RollingUpdateStatefulSetStrategy
type s
""",
    "authentication.v1.BoundObjectReference": """
apiVersion s
kind s
name s
uid s
""",
    "authentication.v1.SelfSubjectReview": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
status @authentication.v1.SelfSubjectReviewStatus
""",
    "authentication.v1.SelfSubjectReviewStatus": """
userInfo @authentication.v1.UserInfo
""",
    "authentication.v1.TokenRequest": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @authentication.v1.TokenRequestSpec
status @authentication.v1.TokenRequestStatus
""",
    "authentication.v1.TokenRequestSpec": """
attestations <[s since=37
audiences [s
boundObjectRef @authentication.v1.BoundObjectReference
expirationSeconds n
""",
    "authentication.v1.TokenRequestStatus": """
expirationTimestamp u
token s
""",
    "authentication.v1.TokenReview": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @authentication.v1.TokenReviewSpec
status @authentication.v1.TokenReviewStatus
""",
    "authentication.v1.TokenReviewSpec": """
audiences [s
token s
""",
    "authentication.v1.TokenReviewStatus": """
audiences [s
authenticated b
error s
user @authentication.v1.UserInfo
""",
    "authentication.v1.UserInfo": """
extra <[s
groups [s
uid s
username s
""",
    "authentication.v1alpha1.SelfSubjectReview": """
apiVersion s until=31
kind s until=31
metadata @meta.v1.ObjectMeta until=31
status @authentication.v1alpha1.SelfSubjectReviewStatus until=31
""",
    "authentication.v1alpha1.SelfSubjectReviewStatus": """
userInfo @authentication.v1.UserInfo until=31
""",
    "authentication.v1beta1.SelfSubjectReview": """
apiVersion s until=32
kind s until=32
metadata @meta.v1.ObjectMeta until=32
status @authentication.v1beta1.SelfSubjectReviewStatus until=32
""",
    "authentication.v1beta1.SelfSubjectReviewStatus": """
userInfo @authentication.v1.UserInfo until=32
""",
    "authorization.v1.FieldSelectorAttributes": """
rawSelector s since=31
requirements [@meta.v1.FieldSelectorRequirement since=31
""",
    "authorization.v1.LabelSelectorAttributes": """
rawSelector s since=31
requirements [@meta.v1.LabelSelectorRequirement since=31
""",
    "authorization.v1.LocalSubjectAccessReview": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @authorization.v1.SubjectAccessReviewSpec
status @authorization.v1.SubjectAccessReviewStatus
""",
    "authorization.v1.NonResourceAttributes": """
path s
verb s
""",
    "authorization.v1.NonResourceRule": """
nonResourceURLs [s
verbs [s
""",
    "authorization.v1.ResourceAttributes": """
fieldSelector @authorization.v1.FieldSelectorAttributes since=31
group s
labelSelector @authorization.v1.LabelSelectorAttributes since=31
name s
namespace s
resource s
subresource s
verb s
version s
""",
    "authorization.v1.ResourceRule": """
apiGroups [s
resourceNames [s
resources [s
verbs [s
""",
    "authorization.v1.SelfSubjectAccessReview": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @authorization.v1.SelfSubjectAccessReviewSpec
status @authorization.v1.SubjectAccessReviewStatus
""",
    "authorization.v1.SelfSubjectAccessReviewSpec": """
nonResourceAttributes @authorization.v1.NonResourceAttributes
resourceAttributes @authorization.v1.ResourceAttributes
""",
    "authorization.v1.SelfSubjectRulesReview": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @authorization.v1.SelfSubjectRulesReviewSpec
status @authorization.v1.SubjectRulesReviewStatus
""",
    "authorization.v1.SelfSubjectRulesReviewSpec": """
namespace s
""",
    "authorization.v1.SubjectAccessReview": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @authorization.v1.SubjectAccessReviewSpec
status @authorization.v1.SubjectAccessReviewStatus
""",
    "authorization.v1.SubjectAccessReviewSpec": """
extra <[s
groups [s
nonResourceAttributes @authorization.v1.NonResourceAttributes
resourceAttributes @authorization.v1.ResourceAttributes
uid s
user s
""",
    "authorization.v1.SubjectAccessReviewStatus": """
allowed b
denied b
evaluationError s
reason s
""",
    "authorization.v1.SubjectRulesReviewStatus": """
evaluationError s
incomplete b
nonResourceRules [@authorization.v1.NonResourceRule
resourceRules [@authorization.v1.ResourceRule
""",
    "autoscaling.v1.CrossVersionObjectReference": """
!
apiVersion s
kind s
name s
""",
    "autoscaling.v1.HorizontalPodAutoscaler": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @autoscaling.v1.HorizontalPodAutoscalerSpec
status @autoscaling.v1.HorizontalPodAutoscalerStatus
""",
    "autoscaling.v1.HorizontalPodAutoscalerList": """
apiVersion s
items [@autoscaling.v1.HorizontalPodAutoscaler
kind s
metadata @meta.v1.ListMeta
""",
    "autoscaling.v1.HorizontalPodAutoscalerSpec": """
maxReplicas n
minReplicas n
scaleTargetRef @autoscaling.v1.CrossVersionObjectReference
targetCPUUtilizationPercentage n
""",
    "autoscaling.v1.HorizontalPodAutoscalerStatus": """
currentCPUUtilizationPercentage n
currentReplicas n
desiredReplicas n
lastScaleTime u
observedGeneration n
""",
    "autoscaling.v1.Scale": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @autoscaling.v1.ScaleSpec
status @autoscaling.v1.ScaleStatus
""",
    "autoscaling.v1.ScaleSpec": """
replicas n
""",
    "autoscaling.v1.ScaleStatus": """
replicas n
selector s
""",
    "autoscaling.v2.ContainerResourceMetricSource": """
container s
name s
target @autoscaling.v2.MetricTarget
""",
    "autoscaling.v2.ContainerResourceMetricStatus": """
container s
current @autoscaling.v2.MetricValueStatus
name s
""",
    "autoscaling.v2.CrossVersionObjectReference": """
apiVersion s
kind s
name s
""",
    "autoscaling.v2.ExternalMetricSource": """
metric @autoscaling.v2.MetricIdentifier
target @autoscaling.v2.MetricTarget
""",
    "autoscaling.v2.ExternalMetricStatus": """
current @autoscaling.v2.MetricValueStatus
metric @autoscaling.v2.MetricIdentifier
""",
    "autoscaling.v2.HPAScalingPolicy": """
periodSeconds n
type s
value n
""",
    "autoscaling.v2.HPAScalingRules": """
policies [@autoscaling.v2.HPAScalingPolicy
selectPolicy s
stabilizationWindowSeconds n
tolerance u since=33
""",
    "autoscaling.v2.HorizontalPodAutoscaler": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @autoscaling.v2.HorizontalPodAutoscalerSpec
status @autoscaling.v2.HorizontalPodAutoscalerStatus
""",
    "autoscaling.v2.HorizontalPodAutoscalerBehavior": """
scaleDown @autoscaling.v2.HPAScalingRules
scaleUp @autoscaling.v2.HPAScalingRules
""",
    "autoscaling.v2.HorizontalPodAutoscalerCondition": """
lastTransitionTime u
message s
observedGeneration n since=37
reason s
status s
type s~""
""",
    "autoscaling.v2.HorizontalPodAutoscalerList": """
apiVersion s
items [@autoscaling.v2.HorizontalPodAutoscaler
kind s
metadata @meta.v1.ListMeta
""",
    "autoscaling.v2.HorizontalPodAutoscalerSpec": """
behavior @autoscaling.v2.HorizontalPodAutoscalerBehavior
maxReplicas n
metrics [@autoscaling.v2.MetricSpec
minReplicas n
scaleTargetRef @autoscaling.v2.CrossVersionObjectReference
""",
    "autoscaling.v2.HorizontalPodAutoscalerStatus": """
conditions {type}@autoscaling.v2.HorizontalPodAutoscalerCondition
currentMetrics [@autoscaling.v2.MetricStatus
currentReplicas n
desiredReplicas n
lastScaleTime u
observedGeneration n
""",
    "autoscaling.v2.MetricIdentifier": """
name s
selector @meta.v1.LabelSelector
""",
    "autoscaling.v2.MetricSpec": """
containerResource @autoscaling.v2.ContainerResourceMetricSource
external @autoscaling.v2.ExternalMetricSource
object @autoscaling.v2.ObjectMetricSource
pods @autoscaling.v2.PodsMetricSource
resource @autoscaling.v2.ResourceMetricSource
type s
""",
    "autoscaling.v2.MetricStatus": """
containerResource @autoscaling.v2.ContainerResourceMetricStatus
external @autoscaling.v2.ExternalMetricStatus
object @autoscaling.v2.ObjectMetricStatus
pods @autoscaling.v2.PodsMetricStatus
resource @autoscaling.v2.ResourceMetricStatus
type s
""",
    "autoscaling.v2.MetricTarget": """
averageUtilization n
averageValue u
type s
value u
""",
    "autoscaling.v2.MetricValueStatus": """
averageUtilization n
averageValue u
value u
""",
    "autoscaling.v2.ObjectMetricSource": """
describedObject @autoscaling.v2.CrossVersionObjectReference
metric @autoscaling.v2.MetricIdentifier
target @autoscaling.v2.MetricTarget
""",
    "autoscaling.v2.ObjectMetricStatus": """
current @autoscaling.v2.MetricValueStatus
describedObject @autoscaling.v2.CrossVersionObjectReference
metric @autoscaling.v2.MetricIdentifier
""",
    "autoscaling.v2.PodsMetricSource": """
metric @autoscaling.v2.MetricIdentifier
target @autoscaling.v2.MetricTarget
""",
    "autoscaling.v2.PodsMetricStatus": """
current @autoscaling.v2.MetricValueStatus
metric @autoscaling.v2.MetricIdentifier
""",
    "autoscaling.v2.ResourceMetricSource": """
name s
target @autoscaling.v2.MetricTarget
""",
    "autoscaling.v2.ResourceMetricStatus": """
current @autoscaling.v2.MetricValueStatus
name s
""",
    "batch.v1.CronJob": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @batch.v1.CronJobSpec
status @batch.v1.CronJobStatus
""",
    "batch.v1.CronJobList": """
apiVersion s
items [@batch.v1.CronJob
kind s
metadata @meta.v1.ListMeta
""",
    "batch.v1.CronJobSpec": """
concurrencyPolicy s
failedJobsHistoryLimit n
jobTemplate @batch.v1.JobTemplateSpec
schedule s
startingDeadlineSeconds n
successfulJobsHistoryLimit n
suspend b
timeZone s
""",
    "batch.v1.CronJobStatus": """
active [@core.v1.ObjectReference
lastScheduleTime u
lastSuccessfulTime u
""",
    "batch.v1.Job": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @batch.v1.JobSpec
status @batch.v1.JobStatus
""",
    "batch.v1.JobCondition": """
lastProbeTime u
lastTransitionTime u
message s
reason s
status s
type s
""",
    "batch.v1.JobList": """
apiVersion s
items [@batch.v1.Job
kind s
metadata @meta.v1.ListMeta
""",
    "batch.v1.JobSchedulingConfiguration": """
disruptionMode @scheduling.v1alpha3.WorkloadPodGroupDisruptionMode since=37
resourceClaims {name}@scheduling.v1alpha3.WorkloadPodGroupResourceClaim since=37
schedulingConstraints @scheduling.v1alpha3.WorkloadPodGroupSchedulingConstraints since=37
schedulingPolicy @scheduling.v1alpha3.WorkloadPodGroupSchedulingPolicy since=37
""",
    "batch.v1.JobSpec": """
activeDeadlineSeconds n
backoffLimit n
backoffLimitPerIndex n
completionMode s
completions n
managedBy s since=30
manualSelector b
maxFailedIndexes n
parallelism n
podFailurePolicy @batch.v1.PodFailurePolicy
podReplacementPolicy s
scheduling @batch.v1.JobSchedulingConfiguration since=37
selector @meta.v1.LabelSelector
successPolicy @batch.v1.SuccessPolicy since=30
suspend b
template @core.v1.PodTemplateSpec
ttlSecondsAfterFinished n
""",
    "batch.v1.JobStatus": """
active n
completedIndexes s
completionTime u
conditions [@batch.v1.JobCondition
failed n
failedIndexes s
ready n
startTime u
succeeded n
terminating n
uncountedTerminatedPods @batch.v1.UncountedTerminatedPods
""",
    "batch.v1.JobTemplateSpec": """
metadata @meta.v1.ObjectMeta
spec @batch.v1.JobSpec
""",
    "batch.v1.PodFailurePolicy": """
rules [@batch.v1.PodFailurePolicyRule
""",
    "batch.v1.PodFailurePolicyOnExitCodesRequirement": """
containerName s
operator s
values {}n
""",
    "batch.v1.PodFailurePolicyOnPodConditionsPattern": """
status s
type s
""",
    "batch.v1.PodFailurePolicyRule": """
action s
onExitCodes @batch.v1.PodFailurePolicyOnExitCodesRequirement
onPodConditions [@batch.v1.PodFailurePolicyOnPodConditionsPattern
""",
    "batch.v1.SuccessPolicy": """
rules [@batch.v1.SuccessPolicyRule since=30
""",
    "batch.v1.SuccessPolicyRule": """
succeededCount n since=30
succeededIndexes s since=30
""",
    "batch.v1.UncountedTerminatedPods": """
failed {}s
succeeded {}s
""",
    "certificates.v1.CertificateSigningRequest": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @certificates.v1.CertificateSigningRequestSpec
status @certificates.v1.CertificateSigningRequestStatus
""",
    "certificates.v1.CertificateSigningRequestCondition": """
lastTransitionTime u
lastUpdateTime u
message s
reason s
status s
type s~""
""",
    "certificates.v1.CertificateSigningRequestList": """
apiVersion s
items [@certificates.v1.CertificateSigningRequest
kind s
metadata @meta.v1.ListMeta
""",
    "certificates.v1.CertificateSigningRequestSpec": """
expirationSeconds n
extra <[s
groups [s
request s
signerName s
uid s
usages [s
username s
""",
    "certificates.v1.CertificateSigningRequestStatus": """
certificate s
conditions {type}@certificates.v1.CertificateSigningRequestCondition
""",
    "certificates.v1.ClusterTrustBundle": """
apiVersion s since=37
kind s since=37
metadata @meta.v1.ObjectMeta since=37
spec @certificates.v1.ClusterTrustBundleSpec since=37
""",
    "certificates.v1.ClusterTrustBundleList": """
apiVersion s since=37
items [@certificates.v1.ClusterTrustBundle since=37
kind s since=37
metadata @meta.v1.ListMeta since=37
""",
    "certificates.v1.ClusterTrustBundleSpec": """
signerName s since=37
trustBundle s since=37
""",
    "certificates.v1.PodCertificateRequest": """
apiVersion s since=37
kind s since=37
metadata @meta.v1.ObjectMeta since=37
spec @certificates.v1.PodCertificateRequestSpec since=37
status @certificates.v1.PodCertificateRequestStatus since=37
""",
    "certificates.v1.PodCertificateRequestList": """
apiVersion s since=37
items [@certificates.v1.PodCertificateRequest since=37
kind s since=37
metadata @meta.v1.ListMeta since=37
""",
    "certificates.v1.PodCertificateRequestSpec": """
maxExpirationSeconds n since=37
nodeName s since=37
nodeUID s since=37
podName s since=37
podUID s since=37
serviceAccountName s since=37
serviceAccountUID s since=37
signerName s since=37
stubPKCS10Request s since=37
unverifiedUserAnnotations <s since=37
""",
    "certificates.v1.PodCertificateRequestStatus": """
beginRefreshAt u since=37
certificateChain s since=37
conditions {type}@meta.v1.Condition since=37
notAfter u since=37
notBefore u since=37
""",
    "certificates.v1alpha1.ClusterTrustBundle": """
apiVersion s until=36
kind s until=36
metadata @meta.v1.ObjectMeta until=36
spec @certificates.v1alpha1.ClusterTrustBundleSpec until=36
""",
    "certificates.v1alpha1.ClusterTrustBundleList": """
apiVersion s until=36
items [@certificates.v1alpha1.ClusterTrustBundle until=36
kind s until=36
metadata @meta.v1.ListMeta until=36
""",
    "certificates.v1alpha1.ClusterTrustBundleSpec": """
signerName s until=36
trustBundle s until=36
""",
    "certificates.v1alpha1.PodCertificateRequest": """
apiVersion s since=34 until=34
kind s since=34 until=34
metadata @meta.v1.ObjectMeta since=34 until=34
spec @certificates.v1alpha1.PodCertificateRequestSpec since=34 until=34
status @certificates.v1alpha1.PodCertificateRequestStatus since=34 until=34
""",
    "certificates.v1alpha1.PodCertificateRequestList": """
apiVersion s since=34 until=34
items [@certificates.v1alpha1.PodCertificateRequest since=34 until=34
kind s since=34 until=34
metadata @meta.v1.ListMeta since=34 until=34
""",
    "certificates.v1alpha1.PodCertificateRequestSpec": """
maxExpirationSeconds n since=34 until=34
nodeName s since=34 until=34
nodeUID s since=34 until=34
pkixPublicKey s since=34 until=34
podName s since=34 until=34
podUID s since=34 until=34
proofOfPossession s since=34 until=34
serviceAccountName s since=34 until=34
serviceAccountUID s since=34 until=34
signerName s since=34 until=34
""",
    "certificates.v1alpha1.PodCertificateRequestStatus": """
beginRefreshAt u since=34 until=34
certificateChain s since=34 until=34
conditions {type}@meta.v1.Condition since=34 until=34
notAfter u since=34 until=34
notBefore u since=34 until=34
""",
    "certificates.v1beta1.ClusterTrustBundle": """
apiVersion s since=33
kind s since=33
metadata @meta.v1.ObjectMeta since=33
spec @certificates.v1beta1.ClusterTrustBundleSpec since=33
""",
    "certificates.v1beta1.ClusterTrustBundleList": """
apiVersion s since=33
items [@certificates.v1beta1.ClusterTrustBundle since=33
kind s since=33
metadata @meta.v1.ListMeta since=33
""",
    "certificates.v1beta1.ClusterTrustBundleSpec": """
signerName s since=33
trustBundle s since=33
""",
    "certificates.v1beta1.PodCertificateRequest": """
apiVersion s since=35
kind s since=35
metadata @meta.v1.ObjectMeta since=35
spec @certificates.v1beta1.PodCertificateRequestSpec since=35
status @certificates.v1beta1.PodCertificateRequestStatus since=35
""",
    "certificates.v1beta1.PodCertificateRequestList": """
apiVersion s since=35
items [@certificates.v1beta1.PodCertificateRequest since=35
kind s since=35
metadata @meta.v1.ListMeta since=35
""",
    "certificates.v1beta1.PodCertificateRequestSpec": """
maxExpirationSeconds n since=35
nodeName s since=35
nodeUID s since=35
pkixPublicKey s since=35
podName s since=35
podUID s since=35
proofOfPossession s since=35
serviceAccountName s since=35
serviceAccountUID s since=35
signerName s since=35
stubPKCS10Request s since=36
unverifiedUserAnnotations <s since=35
""",
    "certificates.v1beta1.PodCertificateRequestStatus": """
beginRefreshAt u since=35
certificateChain s since=35
conditions {type}@meta.v1.Condition since=35
notAfter u since=35
notBefore u since=35
""",
    "coordination.v1.Lease": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @coordination.v1.LeaseSpec
""",
    "coordination.v1.LeaseList": """
apiVersion s
items [@coordination.v1.Lease
kind s
metadata @meta.v1.ListMeta
""",
    "coordination.v1.LeaseSpec": """
acquireTime u
holderIdentity s
leaseDurationSeconds n
leaseTransitions n
preferredHolder s since=31
renewTime u
strategy s since=31
""",
    "coordination.v1alpha1.LeaseCandidate": """
apiVersion s since=31 until=31
kind s since=31 until=31
metadata @meta.v1.ObjectMeta since=31 until=31
spec @coordination.v1alpha1.LeaseCandidateSpec since=31 until=31
""",
    "coordination.v1alpha1.LeaseCandidateList": """
apiVersion s since=31 until=31
items [@coordination.v1alpha1.LeaseCandidate since=31 until=31
kind s since=31 until=31
metadata @meta.v1.ListMeta since=31 until=31
""",
    "coordination.v1alpha1.LeaseCandidateSpec": """
binaryVersion s since=31 until=31
emulationVersion s since=31 until=31
leaseName s since=31 until=31
pingTime u since=31 until=31
preferredStrategies [s since=31 until=31
renewTime u since=31 until=31
""",
    "coordination.v1alpha2.LeaseCandidate": """
apiVersion s since=32
kind s since=32
metadata @meta.v1.ObjectMeta since=32
spec @coordination.v1alpha2.LeaseCandidateSpec since=32
""",
    "coordination.v1alpha2.LeaseCandidateList": """
apiVersion s since=32
items [@coordination.v1alpha2.LeaseCandidate since=32
kind s since=32
metadata @meta.v1.ListMeta since=32
""",
    "coordination.v1alpha2.LeaseCandidateSpec": """
binaryVersion s since=32
emulationVersion s since=32
leaseName s since=32
pingTime u since=32
renewTime u since=32
strategy s since=32
""",
    "coordination.v1beta1.LeaseCandidate": """
apiVersion s since=33
kind s since=33
metadata @meta.v1.ObjectMeta since=33
spec @coordination.v1beta1.LeaseCandidateSpec since=33
""",
    "coordination.v1beta1.LeaseCandidateList": """
apiVersion s since=33
items [@coordination.v1beta1.LeaseCandidate since=33
kind s since=33
metadata @meta.v1.ListMeta since=33
""",
    "coordination.v1beta1.LeaseCandidateSpec": """
binaryVersion s since=33
emulationVersion s since=33
leaseName s since=33
pingTime u since=33
renewTime u since=33
strategy s since=33
""",
    "core.v1.AWSElasticBlockStoreVolumeSource": """
fsType s
partition n
readOnly b
volumeID s
""",
    "core.v1.Affinity": """
nodeAffinity @core.v1.NodeAffinity
podAffinity @core.v1.PodAffinity
podAntiAffinity @core.v1.PodAntiAffinity
""",
    "core.v1.AppArmorProfile": """
localhostProfile s since=30
type s since=30
""",
    "core.v1.AttachedVolume": """
devicePath s
name s
""",
    "core.v1.AzureDiskVolumeSource": """
cachingMode s
diskName s
diskURI s
fsType s
kind s
readOnly b
""",
    "core.v1.AzureFilePersistentVolumeSource": """
readOnly b
secretName s
secretNamespace s
shareName s
""",
    "core.v1.AzureFileVolumeSource": """
readOnly b
secretName s
shareName s
""",
    "core.v1.Binding": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
target @core.v1.ObjectReference
""",
    "core.v1.CSIPersistentVolumeSource": """
controllerExpandSecretRef @core.v1.SecretReference
controllerPublishSecretRef @core.v1.SecretReference
driver s
fsType s
nodeExpandSecretRef @core.v1.SecretReference
nodePublishSecretRef @core.v1.SecretReference
nodeStageSecretRef @core.v1.SecretReference
readOnly b
volumeAttributes <s
volumeHandle s
""",
    "core.v1.CSIVolumeSource": """
driver s
fsType s
nodePublishSecretRef @core.v1.LocalObjectReference
readOnly b
volumeAttributes <s
""",
    "core.v1.Capabilities": """
add [s
drop [s
""",
    "core.v1.CephFSPersistentVolumeSource": """
monitors [s
path s
readOnly b
secretFile s
secretRef @core.v1.SecretReference
user s
""",
    "core.v1.CephFSVolumeSource": """
monitors [s
path s
readOnly b
secretFile s
secretRef @core.v1.LocalObjectReference
user s
""",
    "core.v1.CinderPersistentVolumeSource": """
fsType s
readOnly b
secretRef @core.v1.SecretReference
volumeID s
""",
    "core.v1.CinderVolumeSource": """
fsType s
readOnly b
secretRef @core.v1.LocalObjectReference
volumeID s
""",
    "core.v1.ClaimSource": """
resourceClaimName s until=30
resourceClaimTemplateName s until=30
""",
    "core.v1.ClientIPConfig": """
timeoutSeconds n
""",
    "core.v1.ClusterTrustBundleProjection": """
labelSelector @meta.v1.LabelSelector since=29
name s since=29
optional b since=29
path s since=29
signerName s since=29
user n since=37
""",
    "core.v1.ComponentCondition": """
error s
message s
status s
type s~""
""",
    "core.v1.ComponentStatus": """
apiVersion s
conditions {type}@core.v1.ComponentCondition
kind s
metadata @meta.v1.ObjectMeta
""",
    "core.v1.ComponentStatusList": """
apiVersion s
items [@core.v1.ComponentStatus
kind s
metadata @meta.v1.ListMeta
""",
    "core.v1.ConfigMap": """
apiVersion s
binaryData <s
data <s
immutable b
kind s
metadata @meta.v1.ObjectMeta
""",
    "core.v1.ConfigMapEnvSource": """
name s
optional b
""",
    "core.v1.ConfigMapKeySelector": """
!
key s
name s
optional b
""",
    "core.v1.ConfigMapList": """
apiVersion s
items [@core.v1.ConfigMap
kind s
metadata @meta.v1.ListMeta
""",
    "core.v1.ConfigMapNodeConfigSource": """
kubeletConfigKey s
name s
namespace s
resourceVersion s
uid s
""",
    "core.v1.ConfigMapProjection": """
items [@core.v1.KeyToPath
name s
optional b
""",
    "core.v1.ConfigMapVolumeSource": """
defaultMode n
defaultUser n since=37
items [@core.v1.KeyToPath
name s
optional b
""",
    "core.v1.Container": """
args [s
command [s
env {name}@core.v1.EnvVar
envFrom [@core.v1.EnvFromSource
image s
imagePullPolicy s
lifecycle @core.v1.Lifecycle
livenessProbe @core.v1.Probe
name s~""
ports {containerPort,protocol}@core.v1.ContainerPort
readinessProbe @core.v1.Probe
resizePolicy [@core.v1.ContainerResizePolicy
resources @core.v1.ResourceRequirements
restartPolicy s
restartPolicyRules [@core.v1.ContainerRestartRule since=34
securityContext @core.v1.SecurityContext
startupProbe @core.v1.Probe
stdin b
stdinOnce b
terminationMessagePath s
terminationMessagePolicy s
tty b
volumeDevices {devicePath}@core.v1.VolumeDevice
volumeMounts {mountPath}@core.v1.VolumeMount
workingDir s
""",
    "core.v1.ContainerExtendedResourceRequest": """
containerName s since=34
requestName s since=34
resourceName s since=34
""",
    "core.v1.ContainerImage": """
names [s
sizeBytes n
""",
    "core.v1.ContainerPort": """
containerPort n~0
hostIP s
hostPort n
name s
protocol s~"TCP"
""",
    "core.v1.ContainerResizePolicy": """
resourceName s
restartPolicy s
""",
    "core.v1.ContainerRestartRule": """
action s since=34
exitCodes @core.v1.ContainerRestartRuleOnExitCodes since=34
""",
    "core.v1.ContainerRestartRuleOnExitCodes": """
operator s since=34
values {}n since=34
""",
    "core.v1.ContainerState": """
running @core.v1.ContainerStateRunning
terminated @core.v1.ContainerStateTerminated
waiting @core.v1.ContainerStateWaiting
""",
    "core.v1.ContainerStateRunning": """
startedAt u
""",
    "core.v1.ContainerStateTerminated": """
containerID s
exitCode n
finishedAt u
message s
reason s
signal n
startedAt u
""",
    "core.v1.ContainerStateWaiting": """
message s
reason s
""",
    "core.v1.ContainerStatus": """
allocatedResources <u
allocatedResourcesStatus {name}@core.v1.ResourceStatus since=31
containerID s
image s
imageID s
lastState @core.v1.ContainerState
name s
ready b
resources @core.v1.ResourceRequirements
restartCount n
started b
state @core.v1.ContainerState
stopSignal s since=33
user @core.v1.ContainerUser since=31
volumeMounts {mountPath}@core.v1.VolumeMountStatus since=30
""",
    "core.v1.ContainerUser": """
linux @core.v1.LinuxContainerUser since=31
""",
    "core.v1.DaemonEndpoint": """
Port n
""",
    "core.v1.DownwardAPIProjection": """
items [@core.v1.DownwardAPIVolumeFile
""",
    "core.v1.DownwardAPIVolumeFile": """
fieldRef @core.v1.ObjectFieldSelector
mode n
path s
resourceFieldRef @core.v1.ResourceFieldSelector
user n since=37
""",
    "core.v1.DownwardAPIVolumeSource": """
defaultMode n
defaultUser n since=37
items [@core.v1.DownwardAPIVolumeFile
""",
    "core.v1.EmptyDirVolumeSource": """
medium s
mode n since=37
sizeLimit u
""",
    "core.v1.EndpointAddress": """
!
hostname s
ip s
nodeName s
targetRef @core.v1.ObjectReference
""",
    "core.v1.EndpointPort": """
!
appProtocol s
name s
port n
protocol s
""",
    "core.v1.EndpointSubset": """
addresses [@core.v1.EndpointAddress
notReadyAddresses [@core.v1.EndpointAddress
ports [@core.v1.EndpointPort
""",
    "core.v1.Endpoints": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
subsets [@core.v1.EndpointSubset
""",
    "core.v1.EndpointsList": """
apiVersion s
items [@core.v1.Endpoints
kind s
metadata @meta.v1.ListMeta
""",
    "core.v1.EnvFromSource": """
configMapRef @core.v1.ConfigMapEnvSource
prefix s
secretRef @core.v1.SecretEnvSource
""",
    "core.v1.EnvVar": """
name s~""
value s
valueFrom @core.v1.EnvVarSource
""",
    "core.v1.EnvVarSource": """
configMapKeyRef @core.v1.ConfigMapKeySelector
fieldRef @core.v1.ObjectFieldSelector
fileKeyRef @core.v1.FileKeySelector since=34
resourceFieldRef @core.v1.ResourceFieldSelector
secretKeyRef @core.v1.SecretKeySelector
""",
    "core.v1.EphemeralContainer": """
args [s
command [s
env {name}@core.v1.EnvVar
envFrom [@core.v1.EnvFromSource
image s
imagePullPolicy s
lifecycle @core.v1.Lifecycle
livenessProbe @core.v1.Probe
name s~""
ports {containerPort,protocol}@core.v1.ContainerPort
readinessProbe @core.v1.Probe
resizePolicy [@core.v1.ContainerResizePolicy
resources @core.v1.ResourceRequirements
restartPolicy s
restartPolicyRules [@core.v1.ContainerRestartRule since=34
securityContext @core.v1.SecurityContext
startupProbe @core.v1.Probe
stdin b
stdinOnce b
targetContainerName s
terminationMessagePath s
terminationMessagePolicy s
tty b
volumeDevices {devicePath}@core.v1.VolumeDevice
volumeMounts {mountPath}@core.v1.VolumeMount
workingDir s
""",
    "core.v1.EphemeralVolumeSource": """
volumeClaimTemplate @core.v1.PersistentVolumeClaimTemplate
""",
    "core.v1.Event": """
action s
apiVersion s
count n
eventTime u
firstTimestamp u
involvedObject @core.v1.ObjectReference
kind s
lastTimestamp u
message s
metadata @meta.v1.ObjectMeta
reason s
related @core.v1.ObjectReference
reportingComponent s
reportingInstance s
series @core.v1.EventSeries
source @core.v1.EventSource
type s
""",
    "core.v1.EventList": """
apiVersion s
items [@core.v1.Event
kind s
metadata @meta.v1.ListMeta
""",
    "core.v1.EventSeries": """
count n
lastObservedTime u
""",
    "core.v1.EventSource": """
component s
host s
""",
    "core.v1.EvictionResponder": """
! since=37
name s~"" since=37
priority n since=37
""",
    "core.v1.ExecAction": """
command [s
""",
    "core.v1.FCVolumeSource": """
fsType s
lun n
readOnly b
targetWWNs [s
wwids [s
""",
    "core.v1.FileKeySelector": """
! since=34
key s since=34
optional b since=34
path s since=34
volumeName s since=34
""",
    "core.v1.FlexPersistentVolumeSource": """
driver s
fsType s
options <s
readOnly b
secretRef @core.v1.SecretReference
""",
    "core.v1.FlexVolumeSource": """
driver s
fsType s
options <s
readOnly b
secretRef @core.v1.LocalObjectReference
""",
    "core.v1.FlockerVolumeSource": """
datasetName s
datasetUUID s
""",
    "core.v1.GCEPersistentDiskVolumeSource": """
fsType s
partition n
pdName s
readOnly b
""",
    "core.v1.GRPCAction": """
mode s since=37
port n
service s
""",
    "core.v1.GitRepoVolumeSource": """
directory s
repository s
revision s
""",
    "core.v1.GlusterfsPersistentVolumeSource": """
endpoints s
endpointsNamespace s
path s
readOnly b
""",
    "core.v1.GlusterfsVolumeSource": """
endpoints s
path s
readOnly b
""",
    "core.v1.HTTPGetAction": """
host s
httpHeaders [@core.v1.HTTPHeader
path s
port *
protocol s since=37
scheme s
""",
    "core.v1.HTTPHeader": """
name s
value s
""",
    "core.v1.HostAlias": """
hostnames [s
ip s until=30
ip s~"" since=31
""",
    "core.v1.HostIP": """
ip s
""",
    "core.v1.HostPathVolumeSource": """
path s
type s
""",
    "core.v1.ISCSIPersistentVolumeSource": """
chapAuthDiscovery b
chapAuthSession b
fsType s
initiatorName s
iqn s
iscsiInterface s
lun n
portals [s
readOnly b
secretRef @core.v1.SecretReference
targetPortal s
""",
    "core.v1.ISCSIVolumeSource": """
chapAuthDiscovery b
chapAuthSession b
fsType s
initiatorName s
iqn s
iscsiInterface s
lun n
portals [s
readOnly b
secretRef @core.v1.LocalObjectReference
targetPortal s
""",
    "core.v1.ImageVolumeSource": """
pullPolicy s since=31
reference s since=31
""",
    "core.v1.ImageVolumeStatus": """
imageRef s since=36
""",
    "core.v1.KeyToPath": """
key s
mode n
path s
user n since=37
""",
    "core.v1.Lifecycle": """
postStart @core.v1.LifecycleHandler
preStop @core.v1.LifecycleHandler
stopSignal s since=33
""",
    "core.v1.LifecycleHandler": """
exec @core.v1.ExecAction
httpGet @core.v1.HTTPGetAction
sleep @core.v1.SleepAction since=29
tcpSocket @core.v1.TCPSocketAction
""",
    "core.v1.LimitRange": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @core.v1.LimitRangeSpec
""",
    "core.v1.LimitRangeItem": """
default <u
defaultRequest <u
max <u
maxLimitRequestRatio <u
min <u
type s
""",
    "core.v1.LimitRangeList": """
apiVersion s
items [@core.v1.LimitRange
kind s
metadata @meta.v1.ListMeta
""",
    "core.v1.LimitRangeSpec": """
limits [@core.v1.LimitRangeItem
""",
    "core.v1.LinuxContainerUser": """
gid n since=31
supplementalGroups [n since=31
uid n since=31
""",
    "core.v1.LoadBalancerIngress": """
hostname s
ip s
ipMode s since=29
ports [@core.v1.PortStatus
""",
    "core.v1.LoadBalancerStatus": """
ingress [@core.v1.LoadBalancerIngress
""",
    "core.v1.LocalObjectReference": """
!
name s until=30
name s~"" since=31
""",
    "core.v1.LocalVolumeSource": """
fsType s
path s
""",
    "core.v1.ModifyVolumeStatus": """
status s since=29
targetVolumeAttributesClassName s since=29
""",
    "core.v1.NFSVolumeSource": """
path s
readOnly b
server s
""",
    "core.v1.Namespace": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @core.v1.NamespaceSpec
status @core.v1.NamespaceStatus
""",
    "core.v1.NamespaceCondition": """
lastTransitionTime u
message s
reason s
status s
type s~""
""",
    "core.v1.NamespaceList": """
apiVersion s
items [@core.v1.Namespace
kind s
metadata @meta.v1.ListMeta
""",
    "core.v1.NamespaceSpec": """
finalizers [s
""",
    "core.v1.NamespaceStatus": """
conditions {type}@core.v1.NamespaceCondition
phase s
""",
    "core.v1.Node": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @core.v1.NodeSpec
status @core.v1.NodeStatus
""",
    "core.v1.NodeAddress": """
address s
type s~""
""",
    "core.v1.NodeAffinity": """
preferredDuringSchedulingIgnoredDuringExecution [@core.v1.PreferredSchedulingTerm
requiredDuringSchedulingIgnoredDuringExecution @core.v1.NodeSelector
""",
    "core.v1.NodeAllocatableMappedResources": """
name s~"" since=37
quantity u since=37
""",
    "core.v1.NodeAllocatableOverheadResources": """
name s~"" since=37
perContainer u since=37
perPod u since=37
""",
    "core.v1.NodeAllocatableResourceClaimStatus": """
containers {}s since=36
mapping {name}@core.v1.NodeAllocatableMappedResources since=37
overhead {name}@core.v1.NodeAllocatableOverheadResources since=37
resourceClaimName s~"" since=36
resources <u since=36 until=36
""",
    "core.v1.NodeCondition": """
lastHeartbeatTime u
lastTransitionTime u
message s
reason s
status s
type s~""
""",
    "core.v1.NodeConfigSource": """
configMap @core.v1.ConfigMapNodeConfigSource
""",
    "core.v1.NodeConfigStatus": """
active @core.v1.NodeConfigSource
assigned @core.v1.NodeConfigSource
error s
lastKnownGood @core.v1.NodeConfigSource
""",
    "core.v1.NodeDaemonEndpoints": """
kubeletEndpoint @core.v1.DaemonEndpoint
""",
    "core.v1.NodeFeatures": """
supplementalGroupsPolicy b since=31
""",
    "core.v1.NodeList": """
apiVersion s
items [@core.v1.Node
kind s
metadata @meta.v1.ListMeta
""",
    "core.v1.NodePodPreemptionPolicy": """
disableResizePreemption {}s since=37
""",
    "core.v1.NodeRuntimeHandler": """
features @core.v1.NodeRuntimeHandlerFeatures since=30
name s since=30
""",
    "core.v1.NodeRuntimeHandlerFeatures": """
recursiveReadOnlyMounts b since=30
userNamespaces b since=31
""",
    "core.v1.NodeSelector": """
!
nodeSelectorTerms [@core.v1.NodeSelectorTerm
""",
    "core.v1.NodeSelectorRequirement": """
key s
operator s
values [s
""",
    "core.v1.NodeSelectorTerm": """
!
matchExpressions [@core.v1.NodeSelectorRequirement
matchFields [@core.v1.NodeSelectorRequirement
""",
    "core.v1.NodeSpec": """
configSource @core.v1.NodeConfigSource
externalID s
podCIDR s
podCIDRs {}s
podPreemptionPolicy @core.v1.NodePodPreemptionPolicy since=37
providerID s
taints [@core.v1.Taint
unschedulable b
""",
    "core.v1.NodeStatus": """
addresses {type}@core.v1.NodeAddress
allocatable <u
capacity <u
conditions {type}@core.v1.NodeCondition
config @core.v1.NodeConfigStatus
daemonEndpoints @core.v1.NodeDaemonEndpoints
declaredFeatures [s since=35
features @core.v1.NodeFeatures since=31
images [@core.v1.ContainerImage
nodeInfo @core.v1.NodeSystemInfo
phase s
runtimeHandlers [@core.v1.NodeRuntimeHandler since=30
volumesAttached [@core.v1.AttachedVolume
volumesInUse [s
""",
    "core.v1.NodeSwapStatus": """
capacity n since=33
""",
    "core.v1.NodeSystemInfo": """
architecture s
bootID s
containerRuntimeVersion s
kernelVersion s
kubeProxyVersion s
kubeletVersion s
machineID s
operatingSystem s
osImage s
runningInUserNamespace b since=37
swap @core.v1.NodeSwapStatus since=33
systemUUID s
""",
    "core.v1.ObjectFieldSelector": """
!
apiVersion s
fieldPath s
""",
    "core.v1.ObjectReference": """
!
apiVersion s
fieldPath s
kind s
name s
namespace s
resourceVersion s
uid s
""",
    "core.v1.PersistentVolume": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @core.v1.PersistentVolumeSpec
status @core.v1.PersistentVolumeStatus
""",
    "core.v1.PersistentVolumeClaim": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @core.v1.PersistentVolumeClaimSpec
status @core.v1.PersistentVolumeClaimStatus
""",
    "core.v1.PersistentVolumeClaimCondition": """
lastProbeTime u
lastTransitionTime u
message s
reason s
status s
type s~""
""",
    "core.v1.PersistentVolumeClaimList": """
apiVersion s
items [@core.v1.PersistentVolumeClaim
kind s
metadata @meta.v1.ListMeta
""",
    "core.v1.PersistentVolumeClaimSpec": """
accessModes [s
dataSource @core.v1.TypedLocalObjectReference
dataSourceRef @core.v1.TypedObjectReference
resources @core.v1.ResourceRequirements until=28
resources @core.v1.VolumeResourceRequirements since=29
selector @meta.v1.LabelSelector
storageClassName s
volumeAttributesClassName s since=29
volumeMode s
volumeName s
""",
    "core.v1.PersistentVolumeClaimStatus": """
accessModes [s
allocatedResourceStatuses <s
allocatedResources <u
capacity <u
conditions {type}@core.v1.PersistentVolumeClaimCondition
currentVolumeAttributesClassName s since=29
healthStatus @core.v1.VolumeHealthStatus since=37
modifyVolumeStatus @core.v1.ModifyVolumeStatus since=29
phase s
""",
    "core.v1.PersistentVolumeClaimTemplate": """
metadata @meta.v1.ObjectMeta
spec @core.v1.PersistentVolumeClaimSpec
""",
    "core.v1.PersistentVolumeClaimVolumeSource": """
claimName s
readOnly b
""",
    "core.v1.PersistentVolumeList": """
apiVersion s
items [@core.v1.PersistentVolume
kind s
metadata @meta.v1.ListMeta
""",
    "core.v1.PersistentVolumeSpec": """
accessModes [s
awsElasticBlockStore @core.v1.AWSElasticBlockStoreVolumeSource
azureDisk @core.v1.AzureDiskVolumeSource
azureFile @core.v1.AzureFilePersistentVolumeSource
capacity <u
cephfs @core.v1.CephFSPersistentVolumeSource
cinder @core.v1.CinderPersistentVolumeSource
claimRef +@core.v1.ObjectReference
csi @core.v1.CSIPersistentVolumeSource
fc @core.v1.FCVolumeSource
flexVolume @core.v1.FlexPersistentVolumeSource
flocker @core.v1.FlockerVolumeSource
gcePersistentDisk @core.v1.GCEPersistentDiskVolumeSource
glusterfs @core.v1.GlusterfsPersistentVolumeSource
hostPath @core.v1.HostPathVolumeSource
iscsi @core.v1.ISCSIPersistentVolumeSource
local @core.v1.LocalVolumeSource
mountOptions [s
nfs @core.v1.NFSVolumeSource
nodeAffinity @core.v1.VolumeNodeAffinity
persistentVolumeReclaimPolicy s
photonPersistentDisk @core.v1.PhotonPersistentDiskVolumeSource
portworxVolume @core.v1.PortworxVolumeSource
quobyte @core.v1.QuobyteVolumeSource
rbd @core.v1.RBDPersistentVolumeSource
scaleIO @core.v1.ScaleIOPersistentVolumeSource
storageClassName s
storageos @core.v1.StorageOSPersistentVolumeSource
volumeAttributesClassName s since=29
volumeMode s
vsphereVolume @core.v1.VsphereVirtualDiskVolumeSource
""",
    "core.v1.PersistentVolumeStatus": """
lastPhaseTransitionTime u
message s
phase s
reason s
""",
    "core.v1.PhotonPersistentDiskVolumeSource": """
fsType s
pdID s
""",
    "core.v1.Pod": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @core.v1.PodSpec
status @core.v1.PodStatus
""",
    "core.v1.PodAffinity": """
preferredDuringSchedulingIgnoredDuringExecution [@core.v1.WeightedPodAffinityTerm
requiredDuringSchedulingIgnoredDuringExecution [@core.v1.PodAffinityTerm
""",
    "core.v1.PodAffinityTerm": """
labelSelector @meta.v1.LabelSelector
matchLabelKeys [s since=29
mismatchLabelKeys [s since=29
namespaceSelector @meta.v1.LabelSelector
namespaces [s
topologyKey s
""",
    "core.v1.PodAntiAffinity": """
preferredDuringSchedulingIgnoredDuringExecution [@core.v1.WeightedPodAffinityTerm
requiredDuringSchedulingIgnoredDuringExecution [@core.v1.PodAffinityTerm
""",
    "core.v1.PodCertificateProjection": """
certificateChainPath s since=34
credentialBundlePath s since=34
keyPath s since=34
keyType s since=34
maxExpirationSeconds n since=34
signerName s since=34
user n since=37
userAnnotations <s since=35
""",
    "core.v1.PodCondition": """
lastProbeTime u
lastTransitionTime u
message s
observedGeneration n since=33
reason s
status s
type s~""
""",
    "core.v1.PodDNSConfig": """
nameservers [s
options [@core.v1.PodDNSConfigOption
searches [s
""",
    "core.v1.PodDNSConfigOption": """
name s
value s
""",
    "core.v1.PodExtendedResourceClaimStatus": """
requestMappings [@core.v1.ContainerExtendedResourceRequest since=34
resourceClaimName s since=34
""",
    "core.v1.PodIP": """
ip s until=30
ip s~"" since=31
""",
    "core.v1.PodList": """
apiVersion s
items [@core.v1.Pod
kind s
metadata @meta.v1.ListMeta
""",
    "core.v1.PodOS": """
name s
""",
    "core.v1.PodReadinessGate": """
conditionType s
""",
    "core.v1.PodResourceClaim": """
name s~""
resourceClaimName s since=31
resourceClaimTemplateName s since=31
source @core.v1.ClaimSource until=30
""",
    "core.v1.PodResourceClaimStatus": """
name s~""
resourceClaimName s
""",
    "core.v1.PodSchedulingGate": """
name s~""
""",
    "core.v1.PodSchedulingGroup": """
podGroupName s since=36
""",
    "core.v1.PodSecurityContext": """
appArmorProfile @core.v1.AppArmorProfile since=30
fsGroup n
fsGroupChangePolicy s
runAsGroup n
runAsNonRoot b
runAsUser n
seLinuxChangePolicy s since=32
seLinuxOptions @core.v1.SELinuxOptions
seccompProfile @core.v1.SeccompProfile
supplementalGroups [n
supplementalGroupsPolicy s since=31
sysctls [@core.v1.Sysctl
windowsOptions @core.v1.WindowsSecurityContextOptions
""",
    "core.v1.PodSpec": """
activeDeadlineSeconds n
affinity @core.v1.Affinity
automountServiceAccountToken b
containers {name}@core.v1.Container
dnsConfig @core.v1.PodDNSConfig
dnsPolicy s
enableServiceLinks b
ephemeralContainers {name}@core.v1.EphemeralContainer
evictionResponders {name}@core.v1.EvictionResponder since=37
hostAliases {ip}@core.v1.HostAlias
hostIPC b
hostNetwork b
hostPID b
hostUsers b
hostname s
hostnameOverride s since=34
imagePullSecrets {name}@core.v1.LocalObjectReference
initContainers {name}@core.v1.Container
nodeName s
nodeSelector !<s
os @core.v1.PodOS
overhead <u
preemptionPolicy s
priority n
priorityClassName s
readinessGates [@core.v1.PodReadinessGate
resourceClaims {name}@core.v1.PodResourceClaim
resources @core.v1.ResourceRequirements since=32
restartPolicy s
runtimeClassName s
schedulerName s
schedulingGates {name}@core.v1.PodSchedulingGate
schedulingGroup @core.v1.PodSchedulingGroup since=36
securityContext @core.v1.PodSecurityContext
serviceAccount s
serviceAccountName s
setHostnameAsFQDN b
shareProcessNamespace b
subdomain s
terminationGracePeriodSeconds n
tolerations [@core.v1.Toleration
topologySpreadConstraints {topologyKey,whenUnsatisfiable}@core.v1.TopologySpreadConstraint
volumes {name}@core.v1.Volume
workloadRef @core.v1.WorkloadReference since=35 until=35
""",
    "core.v1.PodStatus": """
allocatedResources <u since=35
conditions {type}@core.v1.PodCondition
containerStatuses [@core.v1.ContainerStatus
ephemeralContainerStatuses [@core.v1.ContainerStatus
extendedResourceClaimStatus @core.v1.PodExtendedResourceClaimStatus since=34
hostIP s
hostIPs [@core.v1.HostIP
initContainerStatuses [@core.v1.ContainerStatus
message s
nodeAllocatableResourceClaimStatuses [@core.v1.NodeAllocatableResourceClaimStatus since=36 until=36
nodeAllocatableResourceClaimStatuses {resourceClaimName}@core.v1.NodeAllocatableResourceClaimStatus since=37
nominatedNodeName s
observedGeneration n since=33
phase s
podIP s
podIPs {ip}@core.v1.PodIP
qosClass s
reason s
resize s
resourceClaimStatuses {name}@core.v1.PodResourceClaimStatus
resources @core.v1.ResourceRequirements since=35
startTime u
volumeHealth {name}@core.v1.PodVolumeHealth since=37
""",
    "core.v1.PodTemplate": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
template @core.v1.PodTemplateSpec
""",
    "core.v1.PodTemplateList": """
apiVersion s
items [@core.v1.PodTemplate
kind s
metadata @meta.v1.ListMeta
""",
    "core.v1.PodTemplateSpec": """
metadata @meta.v1.ObjectMeta
spec @core.v1.PodSpec
""",
    "core.v1.PodVolumeHealth": """
healthConditions {status,reason}@core.v1.VolumeHealthCondition since=37
lastTransitionTime u since=37
name s~"" since=37
""",
    "core.v1.PortStatus": """
error s
port n
protocol s
""",
    "core.v1.PortworxVolumeSource": """
fsType s
readOnly b
volumeID s
""",
    "core.v1.PreferredSchedulingTerm": """
preference @core.v1.NodeSelectorTerm
weight n
""",
    "core.v1.Probe": """
exec @core.v1.ExecAction
failureThreshold n
grpc @core.v1.GRPCAction
httpGet @core.v1.HTTPGetAction
initialDelaySeconds n
periodSeconds n
successThreshold n
tcpSocket @core.v1.TCPSocketAction
terminationGracePeriodSeconds n
timeoutSeconds n
""",
    "core.v1.ProjectedVolumeSource": """
defaultMode n
defaultUser n since=37
sources [@core.v1.VolumeProjection
""",
    "core.v1.QuobyteVolumeSource": """
group s
readOnly b
registry s
tenant s
user s
volume s
""",
    "core.v1.RBDPersistentVolumeSource": """
fsType s
image s
keyring s
monitors [s
pool s
readOnly b
secretRef @core.v1.SecretReference
user s
""",
    "core.v1.RBDVolumeSource": """
fsType s
image s
keyring s
monitors [s
pool s
readOnly b
secretRef @core.v1.LocalObjectReference
user s
""",
    "core.v1.ReplicationController": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @core.v1.ReplicationControllerSpec
status @core.v1.ReplicationControllerStatus
""",
    "core.v1.ReplicationControllerCondition": """
lastTransitionTime u
message s
reason s
status s
type s~""
""",
    "core.v1.ReplicationControllerList": """
apiVersion s
items [@core.v1.ReplicationController
kind s
metadata @meta.v1.ListMeta
""",
    "core.v1.ReplicationControllerSpec": """
minReadySeconds n
replicas n
selector !<s
template @core.v1.PodTemplateSpec
""",
    "core.v1.ReplicationControllerStatus": """
availableReplicas n
conditions {type}@core.v1.ReplicationControllerCondition
fullyLabeledReplicas n
observedGeneration n
readyReplicas n
replicas n
""",
    "core.v1.ResourceClaim": """
name s~""
request s since=31
""",
    "core.v1.ResourceFieldSelector": """
!
containerName s
divisor u
resource s
""",
    "core.v1.ResourceHealth": """
health s since=31
message s since=36
resourceID s~"" since=31
""",
    "core.v1.ResourceQuota": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @core.v1.ResourceQuotaSpec
status @core.v1.ResourceQuotaStatus
""",
    "core.v1.ResourceQuotaList": """
apiVersion s
items [@core.v1.ResourceQuota
kind s
metadata @meta.v1.ListMeta
""",
    "core.v1.ResourceQuotaSpec": """
hard <u
scopeSelector @core.v1.ScopeSelector
scopes [s
""",
    "core.v1.ResourceQuotaStatus": """
hard <u
used <u
""",
    "core.v1.ResourceRequirements": """
claims {name}@core.v1.ResourceClaim
limits <u
requests <u
""",
    "core.v1.ResourceStatus": """
name s~"" since=31
resources {resourceID}@core.v1.ResourceHealth since=31
""",
    "core.v1.SELinuxOptions": """
level s
role s
type s
user s
""",
    "core.v1.ScaleIOPersistentVolumeSource": """
fsType s
gateway s
protectionDomain s
readOnly b
secretRef @core.v1.SecretReference
sslEnabled b
storageMode s
storagePool s
system s
volumeName s
""",
    "core.v1.ScaleIOVolumeSource": """
fsType s
gateway s
protectionDomain s
readOnly b
secretRef @core.v1.LocalObjectReference
sslEnabled b
storageMode s
storagePool s
system s
volumeName s
""",
    "core.v1.ScopeSelector": """
!
matchExpressions [@core.v1.ScopedResourceSelectorRequirement
""",
    "core.v1.ScopedResourceSelectorRequirement": """
operator s
scopeName s
values [s
""",
    "core.v1.SeccompProfile": """
localhostProfile s
type s
""",
    "core.v1.Secret": """
apiVersion s
data <s
immutable b
kind s
metadata @meta.v1.ObjectMeta
stringData <s
type s
""",
    "core.v1.SecretEnvSource": """
name s
optional b
""",
    "core.v1.SecretKeySelector": """
!
key s
name s
optional b
""",
    "core.v1.SecretList": """
apiVersion s
items [@core.v1.Secret
kind s
metadata @meta.v1.ListMeta
""",
    "core.v1.SecretProjection": """
items [@core.v1.KeyToPath
name s
optional b
""",
    "core.v1.SecretReference": """
!
name s
namespace s
""",
    "core.v1.SecretVolumeSource": """
defaultMode n
defaultUser n since=37
items [@core.v1.KeyToPath
optional b
secretName s
""",
    "core.v1.SecurityContext": """
allowPrivilegeEscalation b
appArmorProfile @core.v1.AppArmorProfile since=30
capabilities @core.v1.Capabilities
privileged b
procMount s
readOnlyRootFilesystem b
runAsGroup n
runAsNonRoot b
runAsUser n
seLinuxOptions @core.v1.SELinuxOptions
seccompProfile @core.v1.SeccompProfile
windowsOptions @core.v1.WindowsSecurityContextOptions
""",
    "core.v1.Service": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @core.v1.ServiceSpec
status @core.v1.ServiceStatus
""",
    "core.v1.ServiceAccount": """
apiVersion s
automountServiceAccountToken b
imagePullSecrets [@core.v1.LocalObjectReference
kind s
metadata @meta.v1.ObjectMeta
secrets {name}@core.v1.ObjectReference
""",
    "core.v1.ServiceAccountList": """
apiVersion s
items [@core.v1.ServiceAccount
kind s
metadata @meta.v1.ListMeta
""",
    "core.v1.ServiceAccountTokenProjection": """
audience s
expirationSeconds n
path s
user n since=37
""",
    "core.v1.ServiceList": """
apiVersion s
items [@core.v1.Service
kind s
metadata @meta.v1.ListMeta
""",
    "core.v1.ServicePort": """
appProtocol s
name s
nodePort n
port n~0
protocol s~"TCP"
targetPort *
""",
    "core.v1.ServiceSpec": """
allocateLoadBalancerNodePorts b
clusterIP s
clusterIPs [s
externalIPs [s
externalName s
externalTrafficPolicy s
healthCheckNodePort n
internalTrafficPolicy s
ipFamilies [s
ipFamilyPolicy s
loadBalancerClass s
loadBalancerIP s
loadBalancerSourceRanges [s
ports {port,protocol}@core.v1.ServicePort
publishNotReadyAddresses b
selector !<s
sessionAffinity s
sessionAffinityConfig @core.v1.SessionAffinityConfig
trafficDistribution s since=30
type s
""",
    "core.v1.ServiceStatus": """
conditions {type}@meta.v1.Condition
loadBalancer @core.v1.LoadBalancerStatus
""",
    "core.v1.SessionAffinityConfig": """
clientIP @core.v1.ClientIPConfig
""",
    "core.v1.SleepAction": """
seconds n since=29
""",
    "core.v1.StorageOSPersistentVolumeSource": """
fsType s
readOnly b
secretRef @core.v1.ObjectReference
volumeName s
volumeNamespace s
""",
    "core.v1.StorageOSVolumeSource": """
fsType s
readOnly b
secretRef @core.v1.LocalObjectReference
volumeName s
volumeNamespace s
""",
    "core.v1.Sysctl": """
name s
value s
""",
    "core.v1.TCPSocketAction": """
host s
port *
""",
    "core.v1.Taint": """
effect s
key s
timeAdded u
value s
""",
    "core.v1.Toleration": """
effect s
key s
operator s
tolerationSeconds n
value s
""",
    "core.v1.TopologySelectorLabelRequirement": """
key s
values [s
""",
    "core.v1.TopologySelectorTerm": """
!
matchLabelExpressions [@core.v1.TopologySelectorLabelRequirement
""",
    "core.v1.TopologySpreadConstraint": """
labelSelector @meta.v1.LabelSelector
matchLabelKeys [s
maxSkew n
minDomains n
nodeAffinityPolicy s
nodeTaintsPolicy s
topologyKey s~""
whenUnsatisfiable s~""
""",
    "core.v1.TypedLocalObjectReference": """
!
apiGroup s
kind s
name s
""",
    "core.v1.TypedObjectReference": """
apiGroup s
kind s
name s
namespace s
""",
    "core.v1.Volume": """
awsElasticBlockStore @core.v1.AWSElasticBlockStoreVolumeSource
azureDisk @core.v1.AzureDiskVolumeSource
azureFile @core.v1.AzureFileVolumeSource
cephfs @core.v1.CephFSVolumeSource
cinder @core.v1.CinderVolumeSource
configMap @core.v1.ConfigMapVolumeSource
csi @core.v1.CSIVolumeSource
downwardAPI @core.v1.DownwardAPIVolumeSource
emptyDir @core.v1.EmptyDirVolumeSource
ephemeral @core.v1.EphemeralVolumeSource
fc @core.v1.FCVolumeSource
flexVolume @core.v1.FlexVolumeSource
flocker @core.v1.FlockerVolumeSource
gcePersistentDisk @core.v1.GCEPersistentDiskVolumeSource
gitRepo @core.v1.GitRepoVolumeSource
glusterfs @core.v1.GlusterfsVolumeSource
hostPath @core.v1.HostPathVolumeSource
image @core.v1.ImageVolumeSource since=31
iscsi @core.v1.ISCSIVolumeSource
name s~""
nfs @core.v1.NFSVolumeSource
persistentVolumeClaim @core.v1.PersistentVolumeClaimVolumeSource
photonPersistentDisk @core.v1.PhotonPersistentDiskVolumeSource
portworxVolume @core.v1.PortworxVolumeSource
projected @core.v1.ProjectedVolumeSource
quobyte @core.v1.QuobyteVolumeSource
rbd @core.v1.RBDVolumeSource
scaleIO @core.v1.ScaleIOVolumeSource
secret @core.v1.SecretVolumeSource
storageos @core.v1.StorageOSVolumeSource
vsphereVolume @core.v1.VsphereVirtualDiskVolumeSource
""",
    "core.v1.VolumeDevice": """
devicePath s~""
name s
""",
    "core.v1.VolumeHealthCondition": """
message s since=37
reason s~"" since=37
status s~"" since=37
""",
    "core.v1.VolumeHealthStatus": """
healthConditions {status,reason}@core.v1.VolumeHealthCondition since=37
lastTransitionTime u since=37
""",
    "core.v1.VolumeMount": """
bindMountOptions {}s since=37
mountPath s~""
mountPropagation s
name s
readOnly b
recursiveReadOnly s since=30
subPath s
subPathExpr s
""",
    "core.v1.VolumeMountStatus": """
mountPath s~"" since=30
name s since=30
readOnly b since=30
recursiveReadOnly s since=30
volumeStatus @core.v1.VolumeStatus since=36
""",
    "core.v1.VolumeNodeAffinity": """
required @core.v1.NodeSelector
""",
    "core.v1.VolumeProjection": """
clusterTrustBundle @core.v1.ClusterTrustBundleProjection since=29
configMap @core.v1.ConfigMapProjection
downwardAPI @core.v1.DownwardAPIProjection
podCertificate @core.v1.PodCertificateProjection since=34
secret @core.v1.SecretProjection
serviceAccountToken @core.v1.ServiceAccountTokenProjection
""",
    "core.v1.VolumeResourceRequirements": """
limits <u since=29
requests <u since=29
""",
    "core.v1.VolumeStatus": """
image @core.v1.ImageVolumeStatus since=36
""",
    "core.v1.VsphereVirtualDiskVolumeSource": """
fsType s
storagePolicyID s
storagePolicyName s
volumePath s
""",
    "core.v1.WeightedPodAffinityTerm": """
podAffinityTerm @core.v1.PodAffinityTerm
weight n
""",
    "core.v1.WindowsSecurityContextOptions": """
gmsaCredentialSpec s
gmsaCredentialSpecName s
hostProcess b
runAsUserName s
""",
    "core.v1.WorkloadReference": """
name s since=35 until=35
podGroup s since=35 until=35
podGroupReplicaKey s since=35 until=35
""",
    "discovery.v1.Endpoint": """
addresses {}s
conditions @discovery.v1.EndpointConditions
deprecatedTopology <s
hints @discovery.v1.EndpointHints
hostname s
nodeName s
targetRef @core.v1.ObjectReference
zone s
""",
    "discovery.v1.EndpointConditions": """
ready b
serving b
terminating b
""",
    "discovery.v1.EndpointHints": """
forNodes [@discovery.v1.ForNode since=33
forZones [@discovery.v1.ForZone
""",
    "discovery.v1.EndpointPort": """
!
appProtocol s
name s
port n
protocol s
""",
    "discovery.v1.EndpointSlice": """
addressType s
apiVersion s
endpoints [@discovery.v1.Endpoint
kind s
metadata @meta.v1.ObjectMeta
ports [@discovery.v1.EndpointPort
""",
    "discovery.v1.EndpointSliceList": """
apiVersion s
items [@discovery.v1.EndpointSlice
kind s
metadata @meta.v1.ListMeta
""",
    "discovery.v1.ForNode": """
name s since=33
""",
    "discovery.v1.ForZone": """
name s
""",
    "events.v1.Event": """
action s
apiVersion s
deprecatedCount n
deprecatedFirstTimestamp u
deprecatedLastTimestamp u
deprecatedSource @core.v1.EventSource
eventTime u
kind s
metadata @meta.v1.ObjectMeta
note s
reason s
regarding @core.v1.ObjectReference
related @core.v1.ObjectReference
reportingController s
reportingInstance s
series @events.v1.EventSeries
type s
""",
    "events.v1.EventList": """
apiVersion s
items [@events.v1.Event
kind s
metadata @meta.v1.ListMeta
""",
    "events.v1.EventSeries": """
count n
lastObservedTime u
""",
    "flowcontrol.v1.ExemptPriorityLevelConfiguration": """
lendablePercent n since=29
nominalConcurrencyShares n since=29
""",
    "flowcontrol.v1.FlowDistinguisherMethod": """
type s since=29
""",
    "flowcontrol.v1.FlowSchema": """
apiVersion s since=29
kind s since=29
metadata @meta.v1.ObjectMeta since=29
spec @flowcontrol.v1.FlowSchemaSpec since=29
status @flowcontrol.v1.FlowSchemaStatus since=29
""",
    "flowcontrol.v1.FlowSchemaCondition": """
lastTransitionTime u since=29
message s since=29
reason s since=29
status s since=29
type s since=29
""",
    "flowcontrol.v1.FlowSchemaList": """
apiVersion s since=29
items [@flowcontrol.v1.FlowSchema since=29
kind s since=29
metadata @meta.v1.ListMeta since=29
""",
    "flowcontrol.v1.FlowSchemaSpec": """
distinguisherMethod @flowcontrol.v1.FlowDistinguisherMethod since=29
matchingPrecedence n since=29
priorityLevelConfiguration @flowcontrol.v1.PriorityLevelConfigurationReference since=29
rules [@flowcontrol.v1.PolicyRulesWithSubjects since=29
""",
    "flowcontrol.v1.FlowSchemaStatus": """
conditions {type}@flowcontrol.v1.FlowSchemaCondition since=29
""",
    "flowcontrol.v1.GroupSubject": """
name s since=29
""",
    "flowcontrol.v1.LimitResponse": """
queuing @flowcontrol.v1.QueuingConfiguration since=29
type s since=29
""",
    "flowcontrol.v1.LimitedPriorityLevelConfiguration": """
borrowingLimitPercent n since=29
lendablePercent n since=29
limitResponse @flowcontrol.v1.LimitResponse since=29
nominalConcurrencyShares n since=29
""",
    "flowcontrol.v1.NonResourcePolicyRule": """
nonResourceURLs {}s since=29
verbs {}s since=29
""",
    "flowcontrol.v1.PolicyRulesWithSubjects": """
nonResourceRules [@flowcontrol.v1.NonResourcePolicyRule since=29
resourceRules [@flowcontrol.v1.ResourcePolicyRule since=29
subjects [@flowcontrol.v1.Subject since=29
""",
    "flowcontrol.v1.PriorityLevelConfiguration": """
apiVersion s since=29
kind s since=29
metadata @meta.v1.ObjectMeta since=29
spec @flowcontrol.v1.PriorityLevelConfigurationSpec since=29
status @flowcontrol.v1.PriorityLevelConfigurationStatus since=29
""",
    "flowcontrol.v1.PriorityLevelConfigurationCondition": """
lastTransitionTime u since=29
message s since=29
reason s since=29
status s since=29
type s since=29
""",
    "flowcontrol.v1.PriorityLevelConfigurationList": """
apiVersion s since=29
items [@flowcontrol.v1.PriorityLevelConfiguration since=29
kind s since=29
metadata @meta.v1.ListMeta since=29
""",
    "flowcontrol.v1.PriorityLevelConfigurationReference": """
name s since=29
""",
    "flowcontrol.v1.PriorityLevelConfigurationSpec": """
exempt @flowcontrol.v1.ExemptPriorityLevelConfiguration since=29
limited @flowcontrol.v1.LimitedPriorityLevelConfiguration since=29
type s since=29
""",
    "flowcontrol.v1.PriorityLevelConfigurationStatus": """
conditions {type}@flowcontrol.v1.PriorityLevelConfigurationCondition since=29
""",
    "flowcontrol.v1.QueuingConfiguration": """
handSize n since=29
queueLengthLimit n since=29
queues n since=29
""",
    "flowcontrol.v1.ResourcePolicyRule": """
apiGroups {}s since=29
clusterScope b since=29
namespaces {}s since=29
resources {}s since=29
verbs {}s since=29
""",
    "flowcontrol.v1.ServiceAccountSubject": """
name s since=29
namespace s since=29
""",
    "flowcontrol.v1.Subject": """
group @flowcontrol.v1.GroupSubject since=29
kind s since=29
serviceAccount @flowcontrol.v1.ServiceAccountSubject since=29
user @flowcontrol.v1.UserSubject since=29
""",
    "flowcontrol.v1.UserSubject": """
name s since=29
""",
    "flowcontrol.v1beta2.ExemptPriorityLevelConfiguration": """
lendablePercent n until=28
nominalConcurrencyShares n until=28
""",
    "flowcontrol.v1beta2.FlowDistinguisherMethod": """
type s until=28
""",
    "flowcontrol.v1beta2.FlowSchema": """
apiVersion s until=28
kind s until=28
metadata @meta.v1.ObjectMeta until=28
spec @flowcontrol.v1beta2.FlowSchemaSpec until=28
status @flowcontrol.v1beta2.FlowSchemaStatus until=28
""",
    "flowcontrol.v1beta2.FlowSchemaCondition": """
lastTransitionTime u until=28
message s until=28
reason s until=28
status s until=28
type s until=28
""",
    "flowcontrol.v1beta2.FlowSchemaList": """
apiVersion s until=28
items [@flowcontrol.v1beta2.FlowSchema until=28
kind s until=28
metadata @meta.v1.ListMeta until=28
""",
    "flowcontrol.v1beta2.FlowSchemaSpec": """
distinguisherMethod @flowcontrol.v1beta2.FlowDistinguisherMethod until=28
matchingPrecedence n until=28
priorityLevelConfiguration @flowcontrol.v1beta2.PriorityLevelConfigurationReference until=28
rules [@flowcontrol.v1beta2.PolicyRulesWithSubjects until=28
""",
    "flowcontrol.v1beta2.FlowSchemaStatus": """
conditions {type}@flowcontrol.v1beta2.FlowSchemaCondition until=28
""",
    "flowcontrol.v1beta2.GroupSubject": """
name s until=28
""",
    "flowcontrol.v1beta2.LimitResponse": """
queuing @flowcontrol.v1beta2.QueuingConfiguration until=28
type s until=28
""",
    "flowcontrol.v1beta2.LimitedPriorityLevelConfiguration": """
assuredConcurrencyShares n until=28
borrowingLimitPercent n until=28
lendablePercent n until=28
limitResponse @flowcontrol.v1beta2.LimitResponse until=28
""",
    "flowcontrol.v1beta2.NonResourcePolicyRule": """
nonResourceURLs {}s until=28
verbs {}s until=28
""",
    "flowcontrol.v1beta2.PolicyRulesWithSubjects": """
nonResourceRules [@flowcontrol.v1beta2.NonResourcePolicyRule until=28
resourceRules [@flowcontrol.v1beta2.ResourcePolicyRule until=28
subjects [@flowcontrol.v1beta2.Subject until=28
""",
    "flowcontrol.v1beta2.PriorityLevelConfiguration": """
apiVersion s until=28
kind s until=28
metadata @meta.v1.ObjectMeta until=28
spec @flowcontrol.v1beta2.PriorityLevelConfigurationSpec until=28
status @flowcontrol.v1beta2.PriorityLevelConfigurationStatus until=28
""",
    "flowcontrol.v1beta2.PriorityLevelConfigurationCondition": """
lastTransitionTime u until=28
message s until=28
reason s until=28
status s until=28
type s until=28
""",
    "flowcontrol.v1beta2.PriorityLevelConfigurationList": """
apiVersion s until=28
items [@flowcontrol.v1beta2.PriorityLevelConfiguration until=28
kind s until=28
metadata @meta.v1.ListMeta until=28
""",
    "flowcontrol.v1beta2.PriorityLevelConfigurationReference": """
name s until=28
""",
    "flowcontrol.v1beta2.PriorityLevelConfigurationSpec": """
exempt @flowcontrol.v1beta2.ExemptPriorityLevelConfiguration until=28
limited @flowcontrol.v1beta2.LimitedPriorityLevelConfiguration until=28
type s until=28
""",
    "flowcontrol.v1beta2.PriorityLevelConfigurationStatus": """
conditions {type}@flowcontrol.v1beta2.PriorityLevelConfigurationCondition until=28
""",
    "flowcontrol.v1beta2.QueuingConfiguration": """
handSize n until=28
queueLengthLimit n until=28
queues n until=28
""",
    "flowcontrol.v1beta2.ResourcePolicyRule": """
apiGroups {}s until=28
clusterScope b until=28
namespaces {}s until=28
resources {}s until=28
verbs {}s until=28
""",
    "flowcontrol.v1beta2.ServiceAccountSubject": """
name s until=28
namespace s until=28
""",
    "flowcontrol.v1beta2.Subject": """
group @flowcontrol.v1beta2.GroupSubject until=28
kind s until=28
serviceAccount @flowcontrol.v1beta2.ServiceAccountSubject until=28
user @flowcontrol.v1beta2.UserSubject until=28
""",
    "flowcontrol.v1beta2.UserSubject": """
name s until=28
""",
    "flowcontrol.v1beta3.ExemptPriorityLevelConfiguration": """
lendablePercent n until=31
nominalConcurrencyShares n until=31
""",
    "flowcontrol.v1beta3.FlowDistinguisherMethod": """
type s until=31
""",
    "flowcontrol.v1beta3.FlowSchema": """
apiVersion s until=31
kind s until=31
metadata @meta.v1.ObjectMeta until=31
spec @flowcontrol.v1beta3.FlowSchemaSpec until=31
status @flowcontrol.v1beta3.FlowSchemaStatus until=31
""",
    "flowcontrol.v1beta3.FlowSchemaCondition": """
lastTransitionTime u until=31
message s until=31
reason s until=31
status s until=31
type s until=31
""",
    "flowcontrol.v1beta3.FlowSchemaList": """
apiVersion s until=31
items [@flowcontrol.v1beta3.FlowSchema until=31
kind s until=31
metadata @meta.v1.ListMeta until=31
""",
    "flowcontrol.v1beta3.FlowSchemaSpec": """
distinguisherMethod @flowcontrol.v1beta3.FlowDistinguisherMethod until=31
matchingPrecedence n until=31
priorityLevelConfiguration @flowcontrol.v1beta3.PriorityLevelConfigurationReference until=31
rules [@flowcontrol.v1beta3.PolicyRulesWithSubjects until=31
""",
    "flowcontrol.v1beta3.FlowSchemaStatus": """
conditions {type}@flowcontrol.v1beta3.FlowSchemaCondition until=31
""",
    "flowcontrol.v1beta3.GroupSubject": """
name s until=31
""",
    "flowcontrol.v1beta3.LimitResponse": """
queuing @flowcontrol.v1beta3.QueuingConfiguration until=31
type s until=31
""",
    "flowcontrol.v1beta3.LimitedPriorityLevelConfiguration": """
borrowingLimitPercent n until=31
lendablePercent n until=31
limitResponse @flowcontrol.v1beta3.LimitResponse until=31
nominalConcurrencyShares n until=31
""",
    "flowcontrol.v1beta3.NonResourcePolicyRule": """
nonResourceURLs {}s until=31
verbs {}s until=31
""",
    "flowcontrol.v1beta3.PolicyRulesWithSubjects": """
nonResourceRules [@flowcontrol.v1beta3.NonResourcePolicyRule until=31
resourceRules [@flowcontrol.v1beta3.ResourcePolicyRule until=31
subjects [@flowcontrol.v1beta3.Subject until=31
""",
    "flowcontrol.v1beta3.PriorityLevelConfiguration": """
apiVersion s until=31
kind s until=31
metadata @meta.v1.ObjectMeta until=31
spec @flowcontrol.v1beta3.PriorityLevelConfigurationSpec until=31
status @flowcontrol.v1beta3.PriorityLevelConfigurationStatus until=31
""",
    "flowcontrol.v1beta3.PriorityLevelConfigurationCondition": """
lastTransitionTime u until=31
message s until=31
reason s until=31
status s until=31
type s until=31
""",
    "flowcontrol.v1beta3.PriorityLevelConfigurationList": """
apiVersion s until=31
items [@flowcontrol.v1beta3.PriorityLevelConfiguration until=31
kind s until=31
metadata @meta.v1.ListMeta until=31
""",
    "flowcontrol.v1beta3.PriorityLevelConfigurationReference": """
name s until=31
""",
    "flowcontrol.v1beta3.PriorityLevelConfigurationSpec": """
exempt @flowcontrol.v1beta3.ExemptPriorityLevelConfiguration until=31
limited @flowcontrol.v1beta3.LimitedPriorityLevelConfiguration until=31
type s until=31
""",
    "flowcontrol.v1beta3.PriorityLevelConfigurationStatus": """
conditions {type}@flowcontrol.v1beta3.PriorityLevelConfigurationCondition until=31
""",
    "flowcontrol.v1beta3.QueuingConfiguration": """
handSize n until=31
queueLengthLimit n until=31
queues n until=31
""",
    "flowcontrol.v1beta3.ResourcePolicyRule": """
apiGroups {}s until=31
clusterScope b until=31
namespaces {}s until=31
resources {}s until=31
verbs {}s until=31
""",
    "flowcontrol.v1beta3.ServiceAccountSubject": """
name s until=31
namespace s until=31
""",
    "flowcontrol.v1beta3.Subject": """
group @flowcontrol.v1beta3.GroupSubject until=31
kind s until=31
serviceAccount @flowcontrol.v1beta3.ServiceAccountSubject until=31
user @flowcontrol.v1beta3.UserSubject until=31
""",
    "flowcontrol.v1beta3.UserSubject": """
name s until=31
""",
    "lifecycle.v1alpha1.Eviction": """
apiVersion s since=37
kind s since=37
metadata @meta.v1.ObjectMeta since=37
spec @lifecycle.v1alpha1.EvictionSpec since=37
status @lifecycle.v1alpha1.EvictionStatus since=37
""",
    "lifecycle.v1alpha1.EvictionList": """
apiVersion s since=37
items [@lifecycle.v1alpha1.Eviction since=37
kind s since=37
metadata @meta.v1.ListMeta since=37
""",
    "lifecycle.v1alpha1.EvictionPodReference": """
name s since=37
uid s since=37
""",
    "lifecycle.v1alpha1.EvictionRequest": """
apiVersion s since=37
kind s since=37
metadata @meta.v1.ObjectMeta since=37
spec @lifecycle.v1alpha1.EvictionRequestSpec since=37
status @lifecycle.v1alpha1.EvictionRequestStatus since=37
""",
    "lifecycle.v1alpha1.EvictionRequestList": """
apiVersion s since=37
items [@lifecycle.v1alpha1.EvictionRequest since=37
kind s since=37
metadata @meta.v1.ListMeta since=37
""",
    "lifecycle.v1alpha1.EvictionRequestPodReference": """
name s since=37
uid s since=37
""",
    "lifecycle.v1alpha1.EvictionRequestSpec": """
intent s since=37
requester s since=37
target @lifecycle.v1alpha1.EvictionRequestTarget since=37
""",
    "lifecycle.v1alpha1.EvictionRequestStatus": """
conditions {type}@meta.v1.Condition since=37
observedGeneration n since=37
""",
    "lifecycle.v1alpha1.EvictionRequestTarget": """
pod @lifecycle.v1alpha1.EvictionRequestPodReference since=37
""",
    "lifecycle.v1alpha1.EvictionSpec": """
target @lifecycle.v1alpha1.EvictionTarget since=37
""",
    "lifecycle.v1alpha1.EvictionStatus": """
conditions {type}@meta.v1.Condition since=37
observedGeneration n since=37
requesters {name}@lifecycle.v1alpha1.Requester since=37
responders {name}@lifecycle.v1alpha1.ResponderStatus since=37
targetResponders {name}@lifecycle.v1alpha1.TargetResponder since=37
""",
    "lifecycle.v1alpha1.EvictionTarget": """
pod @lifecycle.v1alpha1.EvictionPodReference since=37
""",
    "lifecycle.v1alpha1.Requester": """
! since=37
intent s since=37
name s~"" since=37
""",
    "lifecycle.v1alpha1.ResponderStatus": """
completionTime u since=37
expectedCompletionTime u since=37
heartbeatTime u since=37
message s since=37
name s~"" since=37
startTime u since=37
""",
    "lifecycle.v1alpha1.TargetResponder": """
! since=37
name s~"" since=37
priority n since=37
state s since=37
""",
    "meta.v1.APIGroup": """
apiVersion s
kind s
name s
preferredVersion @meta.v1.GroupVersionForDiscovery
serverAddressByClientCIDRs [@meta.v1.ServerAddressByClientCIDR
versions [@meta.v1.GroupVersionForDiscovery
""",
    "meta.v1.APIGroupList": """
apiVersion s
groups [@meta.v1.APIGroup
kind s
""",
    "meta.v1.APIResource": """
categories [s
group s
kind s
name s
namespaced b
shortNames [s
singularName s
storageVersionHash s
verbs [s
version s
""",
    "meta.v1.APIResourceList": """
apiVersion s
groupVersion s
kind s
resources [@meta.v1.APIResource
""",
    "meta.v1.APIVersions": """
apiVersion s
kind s
serverAddressByClientCIDRs [@meta.v1.ServerAddressByClientCIDR
versions [s
""",
    "meta.v1.Condition": """
lastTransitionTime u
message s
observedGeneration n
reason s
status s
type s~""
""",
    "meta.v1.DeleteOptions": """
apiVersion s
dryRun [s
gracePeriodSeconds n
ignoreStoreReadErrorWithClusterBreakingPotential b since=32
kind s
orphanDependents b
preconditions @meta.v1.Preconditions
propagationPolicy s
""",
    "meta.v1.FieldSelectorRequirement": """
key s since=31
operator s since=31
values [s since=31
""",
    "meta.v1.GroupResource": """
group s since=35
resource s since=35
""",
    "meta.v1.GroupVersionForDiscovery": """
groupVersion s
version s
""",
    "meta.v1.LabelSelector": """
!
matchExpressions [@meta.v1.LabelSelectorRequirement
matchLabels <s
""",
    "meta.v1.LabelSelectorRequirement": """
key s
operator s
values [s
""",
    "meta.v1.ListMeta": """
continue s
remainingItemCount n
resourceVersion s
selfLink s
shardInfo @meta.v1.ShardInfo since=36
""",
    "meta.v1.ManagedFieldsEntry": """
apiVersion s
fieldsType s
fieldsV1 <*
manager s
operation s
subresource s
time u
""",
    "meta.v1.ObjectMeta": """
annotations <s
creationTimestamp u
deletionGracePeriodSeconds n
deletionTimestamp u
finalizers {}s
generateName s
generation n
labels <s
managedFields [@meta.v1.ManagedFieldsEntry
name s
namespace s
ownerReferences {uid}@meta.v1.OwnerReference
resourceVersion s
selfLink s
uid s
""",
    "meta.v1.OwnerReference": """
!
apiVersion s
blockOwnerDeletion b
controller b
kind s
name s
uid s~""
""",
    "meta.v1.Preconditions": """
resourceVersion s
uid s
""",
    "meta.v1.ServerAddressByClientCIDR": """
clientCIDR s
serverAddress s
""",
    "meta.v1.ShardInfo": """
selector s since=36
""",
    "meta.v1.Status": """
apiVersion s
code n
details @meta.v1.StatusDetails
kind s
message s
metadata @meta.v1.ListMeta
reason s
status s
""",
    "meta.v1.StatusCause": """
field s
message s
reason s
""",
    "meta.v1.StatusDetails": """
causes [@meta.v1.StatusCause
group s
kind s
name s
retryAfterSeconds n
uid s
""",
    "meta.v1.WatchEvent": """
object ?
type s
""",
    "networking.v1.HTTPIngressPath": """
backend @networking.v1.IngressBackend
path s
pathType s
""",
    "networking.v1.HTTPIngressRuleValue": """
paths [@networking.v1.HTTPIngressPath
""",
    "networking.v1.IPAddress": """
apiVersion s since=33
kind s since=33
metadata @meta.v1.ObjectMeta since=33
spec @networking.v1.IPAddressSpec since=33
""",
    "networking.v1.IPAddressList": """
apiVersion s since=33
items [@networking.v1.IPAddress since=33
kind s since=33
metadata @meta.v1.ListMeta since=33
""",
    "networking.v1.IPAddressSpec": """
parentRef @networking.v1.ParentReference since=33
""",
    "networking.v1.IPBlock": """
cidr s
except [s
""",
    "networking.v1.Ingress": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @networking.v1.IngressSpec
status @networking.v1.IngressStatus
""",
    "networking.v1.IngressBackend": """
resource @core.v1.TypedLocalObjectReference
service @networking.v1.IngressServiceBackend
""",
    "networking.v1.IngressClass": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @networking.v1.IngressClassSpec
""",
    "networking.v1.IngressClassList": """
apiVersion s
items [@networking.v1.IngressClass
kind s
metadata @meta.v1.ListMeta
""",
    "networking.v1.IngressClassParametersReference": """
apiGroup s
kind s
name s
namespace s
scope s
""",
    "networking.v1.IngressClassSpec": """
controller s
parameters @networking.v1.IngressClassParametersReference
""",
    "networking.v1.IngressList": """
apiVersion s
items [@networking.v1.Ingress
kind s
metadata @meta.v1.ListMeta
""",
    "networking.v1.IngressLoadBalancerIngress": """
hostname s
ip s
ports [@networking.v1.IngressPortStatus
""",
    "networking.v1.IngressLoadBalancerStatus": """
ingress [@networking.v1.IngressLoadBalancerIngress
""",
    "networking.v1.IngressPortStatus": """
error s
port n
protocol s
""",
    "networking.v1.IngressRule": """
host s
http @networking.v1.HTTPIngressRuleValue
""",
    "networking.v1.IngressServiceBackend": """
name s
port @networking.v1.ServiceBackendPort
""",
    "networking.v1.IngressSpec": """
defaultBackend @networking.v1.IngressBackend
ingressClassName s
rules [@networking.v1.IngressRule
tls [@networking.v1.IngressTLS
""",
    "networking.v1.IngressStatus": """
loadBalancer @networking.v1.IngressLoadBalancerStatus
""",
    "networking.v1.IngressTLS": """
hosts [s
secretName s
""",
    "networking.v1.NetworkPolicy": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @networking.v1.NetworkPolicySpec
""",
    "networking.v1.NetworkPolicyEgressRule": """
ports [@networking.v1.NetworkPolicyPort
to [@networking.v1.NetworkPolicyPeer
""",
    "networking.v1.NetworkPolicyIngressRule": """
from [@networking.v1.NetworkPolicyPeer
ports [@networking.v1.NetworkPolicyPort
""",
    "networking.v1.NetworkPolicyList": """
apiVersion s
items [@networking.v1.NetworkPolicy
kind s
metadata @meta.v1.ListMeta
""",
    "networking.v1.NetworkPolicyPeer": """
ipBlock @networking.v1.IPBlock
namespaceSelector @meta.v1.LabelSelector
podSelector @meta.v1.LabelSelector
""",
    "networking.v1.NetworkPolicyPort": """
endPort n
port *
protocol s
""",
    "networking.v1.NetworkPolicySpec": """
egress [@networking.v1.NetworkPolicyEgressRule
ingress [@networking.v1.NetworkPolicyIngressRule
podSelector @meta.v1.LabelSelector
policyTypes [s
""",
    "networking.v1.ParentReference": """
group s since=33
name s since=33
namespace s since=33
resource s since=33
""",
    "networking.v1.ServiceBackendPort": """
! since=31
name s
number n
""",
    "networking.v1.ServiceCIDR": """
apiVersion s since=33
kind s since=33
metadata @meta.v1.ObjectMeta since=33
spec @networking.v1.ServiceCIDRSpec since=33
status @networking.v1.ServiceCIDRStatus since=33
""",
    "networking.v1.ServiceCIDRList": """
apiVersion s since=33
items [@networking.v1.ServiceCIDR since=33
kind s since=33
metadata @meta.v1.ListMeta since=33
""",
    "networking.v1.ServiceCIDRSpec": """
cidrs [s since=33
""",
    "networking.v1.ServiceCIDRStatus": """
conditions {type}@meta.v1.Condition since=33
""",
    "networking.v1alpha1.ClusterCIDR": """
apiVersion s until=28
kind s until=28
metadata @meta.v1.ObjectMeta until=28
spec @networking.v1alpha1.ClusterCIDRSpec until=28
""",
    "networking.v1alpha1.ClusterCIDRList": """
apiVersion s until=28
items [@networking.v1alpha1.ClusterCIDR until=28
kind s until=28
metadata @meta.v1.ListMeta until=28
""",
    "networking.v1alpha1.ClusterCIDRSpec": """
ipv4 s until=28
ipv6 s until=28
nodeSelector @core.v1.NodeSelector until=28
perNodeHostBits n until=28
""",
    "networking.v1alpha1.IPAddress": """
apiVersion s until=30
kind s until=30
metadata @meta.v1.ObjectMeta until=30
spec @networking.v1alpha1.IPAddressSpec until=30
""",
    "networking.v1alpha1.IPAddressList": """
apiVersion s until=30
items [@networking.v1alpha1.IPAddress until=30
kind s until=30
metadata @meta.v1.ListMeta until=30
""",
    "networking.v1alpha1.IPAddressSpec": """
parentRef @networking.v1alpha1.ParentReference until=30
""",
    "networking.v1alpha1.ParentReference": """
group s until=30
name s until=30
namespace s until=30
resource s until=30
uid s until=28
""",
    "networking.v1alpha1.ServiceCIDR": """
apiVersion s since=29 until=30
kind s since=29 until=30
metadata @meta.v1.ObjectMeta since=29 until=30
spec @networking.v1alpha1.ServiceCIDRSpec since=29 until=30
status @networking.v1alpha1.ServiceCIDRStatus since=29 until=30
""",
    "networking.v1alpha1.ServiceCIDRList": """
apiVersion s since=29 until=30
items [@networking.v1alpha1.ServiceCIDR since=29 until=30
kind s since=29 until=30
metadata @meta.v1.ListMeta since=29 until=30
""",
    "networking.v1alpha1.ServiceCIDRSpec": """
cidrs [s since=29 until=30
""",
    "networking.v1alpha1.ServiceCIDRStatus": """
conditions {type}@meta.v1.Condition since=29 until=30
""",
    "networking.v1beta1.IPAddress": """
apiVersion s since=31 until=36
kind s since=31 until=36
metadata @meta.v1.ObjectMeta since=31 until=36
spec @networking.v1beta1.IPAddressSpec since=31 until=36
""",
    "networking.v1beta1.IPAddressList": """
apiVersion s since=31 until=36
items [@networking.v1beta1.IPAddress since=31 until=36
kind s since=31 until=36
metadata @meta.v1.ListMeta since=31 until=36
""",
    "networking.v1beta1.IPAddressSpec": """
parentRef @networking.v1beta1.ParentReference since=31 until=36
""",
    "networking.v1beta1.ParentReference": """
group s since=31 until=36
name s since=31 until=36
namespace s since=31 until=36
resource s since=31 until=36
""",
    "networking.v1beta1.ServiceCIDR": """
apiVersion s since=31 until=36
kind s since=31 until=36
metadata @meta.v1.ObjectMeta since=31 until=36
spec @networking.v1beta1.ServiceCIDRSpec since=31 until=36
status @networking.v1beta1.ServiceCIDRStatus since=31 until=36
""",
    "networking.v1beta1.ServiceCIDRList": """
apiVersion s since=31 until=36
items [@networking.v1beta1.ServiceCIDR since=31 until=36
kind s since=31 until=36
metadata @meta.v1.ListMeta since=31 until=36
""",
    "networking.v1beta1.ServiceCIDRSpec": """
cidrs [s since=31 until=36
""",
    "networking.v1beta1.ServiceCIDRStatus": """
conditions {type}@meta.v1.Condition since=31 until=36
""",
    "node.v1.Overhead": """
podFixed <u
""",
    "node.v1.RuntimeClass": """
apiVersion s
handler s
kind s
metadata @meta.v1.ObjectMeta
overhead @node.v1.Overhead
scheduling @node.v1.Scheduling
""",
    "node.v1.RuntimeClassList": """
apiVersion s
items [@node.v1.RuntimeClass
kind s
metadata @meta.v1.ListMeta
""",
    "node.v1.Scheduling": """
nodeSelector !<s
tolerations [@core.v1.Toleration
""",
    "policy.v1.Eviction": """
apiVersion s
deleteOptions @meta.v1.DeleteOptions
kind s
metadata @meta.v1.ObjectMeta
""",
    "policy.v1.PodDisruptionBudget": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @policy.v1.PodDisruptionBudgetSpec
status @policy.v1.PodDisruptionBudgetStatus
""",
    "policy.v1.PodDisruptionBudgetList": """
apiVersion s
items [@policy.v1.PodDisruptionBudget
kind s
metadata @meta.v1.ListMeta
""",
    "policy.v1.PodDisruptionBudgetSpec": """
maxUnavailable *
minAvailable *
selector @meta.v1.LabelSelector
unhealthyPodEvictionPolicy s
""",
    "policy.v1.PodDisruptionBudgetStatus": """
conditions {type}@meta.v1.Condition
currentHealthy n
desiredHealthy n
disruptedPods <u
disruptionsAllowed n
expectedPods n
observedGeneration n
""",
    "rbac.v1.AggregationRule": """
clusterRoleSelectors [@meta.v1.LabelSelector
""",
    "rbac.v1.ClusterRole": """
aggregationRule @rbac.v1.AggregationRule
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
rules [@rbac.v1.PolicyRule
""",
    "rbac.v1.ClusterRoleBinding": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
roleRef @rbac.v1.RoleRef
subjects [@rbac.v1.Subject
""",
    "rbac.v1.ClusterRoleBindingList": """
apiVersion s
items [@rbac.v1.ClusterRoleBinding
kind s
metadata @meta.v1.ListMeta
""",
    "rbac.v1.ClusterRoleList": """
apiVersion s
items [@rbac.v1.ClusterRole
kind s
metadata @meta.v1.ListMeta
""",
    "rbac.v1.PolicyRule": """
apiGroups [s
nonResourceURLs [s
resourceNames [s
resources [s
verbs [s
""",
    "rbac.v1.Role": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
rules [@rbac.v1.PolicyRule
""",
    "rbac.v1.RoleBinding": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
roleRef @rbac.v1.RoleRef
subjects [@rbac.v1.Subject
""",
    "rbac.v1.RoleBindingList": """
apiVersion s
items [@rbac.v1.RoleBinding
kind s
metadata @meta.v1.ListMeta
""",
    "rbac.v1.RoleList": """
apiVersion s
items [@rbac.v1.Role
kind s
metadata @meta.v1.ListMeta
""",
    "rbac.v1.RoleRef": """
!
apiGroup s
kind s
name s
""",
    "rbac.v1.Subject": """
!
apiGroup s
kind s
name s
namespace s
""",
    "resource.v1.AllocatedDeviceStatus": """
conditions {type}@meta.v1.Condition since=34
data ? since=34
device s~"" since=34
driver s~"" since=34
networkData @resource.v1.NetworkDeviceData since=34
pool s~"" since=34
shareID s since=34
""",
    "resource.v1.AllocationResult": """
allocationTimestamp u since=34
devices @resource.v1.DeviceAllocationResult since=34
nodeSelector @core.v1.NodeSelector since=34
""",
    "resource.v1.CELDeviceSelector": """
expression s since=34
""",
    "resource.v1.CapacityRequestPolicy": """
default u since=34
validRange @resource.v1.CapacityRequestPolicyRange since=34
validValues [u since=34
""",
    "resource.v1.CapacityRequestPolicyRange": """
max u since=34
min u since=34
step u since=34
""",
    "resource.v1.CapacityRequirements": """
requests <u since=34
""",
    "resource.v1.Counter": """
value u since=34
""",
    "resource.v1.CounterSet": """
counters <@resource.v1.Counter since=34
name s since=34
""",
    "resource.v1.Device": """
allNodes b since=34
allowMultipleAllocations b since=34
attributes <@resource.v1.DeviceAttribute since=34
bindingConditions [s since=34
bindingFailureConditions [s since=34
bindsToNode b since=34
capacity <@resource.v1.DeviceCapacity since=34
consumesCounters [@resource.v1.DeviceCounterConsumption since=34
name s since=34
nodeAllocatableResourceMappings <@resource.v1.NodeAllocatableResourceMapping since=36 until=36
nodeAllocatableResources <@resource.v1.NodeAllocatableResource since=37
nodeName s since=34
nodeSelector @core.v1.NodeSelector since=34
taints [@resource.v1.DeviceTaint since=34
""",
    "resource.v1.DeviceAllocationConfiguration": """
opaque @resource.v1.OpaqueDeviceConfiguration since=34
requests [s since=34
source s since=34
""",
    "resource.v1.DeviceAllocationResult": """
config [@resource.v1.DeviceAllocationConfiguration since=34
results [@resource.v1.DeviceRequestAllocationResult since=34
""",
    "resource.v1.DeviceAttribute": """
bool b since=34
bools [b since=36
int n since=34
ints [n since=36
string s since=34
strings [s since=36
version s since=34
versions [s since=36
""",
    "resource.v1.DeviceCapacity": """
requestPolicy @resource.v1.CapacityRequestPolicy since=34
value u since=34
""",
    "resource.v1.DeviceClaim": """
config [@resource.v1.DeviceClaimConfiguration since=34
constraints [@resource.v1.DeviceConstraint since=34
requests [@resource.v1.DeviceRequest since=34
""",
    "resource.v1.DeviceClaimConfiguration": """
opaque @resource.v1.OpaqueDeviceConfiguration since=34
requests [s since=34
""",
    "resource.v1.DeviceClass": """
apiVersion s since=34
kind s since=34
metadata @meta.v1.ObjectMeta since=34
spec @resource.v1.DeviceClassSpec since=34
""",
    "resource.v1.DeviceClassConfiguration": """
opaque @resource.v1.OpaqueDeviceConfiguration since=34
""",
    "resource.v1.DeviceClassList": """
apiVersion s since=34
items [@resource.v1.DeviceClass since=34
kind s since=34
metadata @meta.v1.ListMeta since=34
""",
    "resource.v1.DeviceClassSpec": """
config [@resource.v1.DeviceClassConfiguration since=34
extendedResourceName s since=34
selectors [@resource.v1.DeviceSelector since=34
""",
    "resource.v1.DeviceConstraint": """
distinctAttribute s since=34
matchAttribute s since=34
requests [s since=34
""",
    "resource.v1.DeviceCounterConsumption": """
compatibilityGroups [s since=37
counterSet s since=34
counters <@resource.v1.Counter since=34
""",
    "resource.v1.DeviceDerivedAttribute": """
expression s since=37
name s since=37
""",
    "resource.v1.DeviceRequest": """
exactly @resource.v1.ExactDeviceRequest since=34
firstAvailable [@resource.v1.DeviceSubRequest since=34
name s since=34
""",
    "resource.v1.DeviceRequestAllocationResult": """
adminAccess b since=34
bindingConditions [s since=34
bindingFailureConditions [s since=34
consumedCapacity <u since=34
device s since=34
driver s since=34
pool s since=34
request s since=34
shareID s since=34
skipNodeOperations {}s since=37
tolerations [@resource.v1.DeviceToleration since=34
""",
    "resource.v1.DeviceSelector": """
cel @resource.v1.CELDeviceSelector since=34
""",
    "resource.v1.DeviceSubRequest": """
allocationMode s since=34
capacity @resource.v1.CapacityRequirements since=34
count n since=34
derivedAttributes [@resource.v1.DeviceDerivedAttribute since=37
deviceClassName s since=34
name s since=34
selectors [@resource.v1.DeviceSelector since=34
tolerations [@resource.v1.DeviceToleration since=34
""",
    "resource.v1.DeviceTaint": """
effect s since=34
key s since=34
timeAdded u since=34
value s since=34
""",
    "resource.v1.DeviceTaintRule": """
apiVersion s since=37
kind s since=37
metadata @meta.v1.ObjectMeta since=37
spec @resource.v1.DeviceTaintRuleSpec since=37
status @resource.v1.DeviceTaintRuleStatus since=37
""",
    "resource.v1.DeviceTaintRuleList": """
apiVersion s since=37
items [@resource.v1.DeviceTaintRule since=37
kind s since=37
metadata @meta.v1.ListMeta since=37
""",
    "resource.v1.DeviceTaintRuleSpec": """
deviceSelector @resource.v1.DeviceTaintSelector since=37
taint @resource.v1.DeviceTaint since=37
""",
    "resource.v1.DeviceTaintRuleStatus": """
conditions {type}@meta.v1.Condition since=37
""",
    "resource.v1.DeviceTaintSelector": """
device s since=37
driver s since=37
pool s since=37
""",
    "resource.v1.DeviceToleration": """
effect s since=34
key s since=34
operator s since=34
tolerationSeconds n since=34
value s since=34
""",
    "resource.v1.ExactDeviceRequest": """
adminAccess b since=34
allocationMode s since=34
capacity @resource.v1.CapacityRequirements since=34
count n since=34
derivedAttributes [@resource.v1.DeviceDerivedAttribute since=37
deviceClassName s since=34
selectors [@resource.v1.DeviceSelector since=34
tolerations [@resource.v1.DeviceToleration since=34
""",
    "resource.v1.NetworkDeviceData": """
hardwareAddress s since=34
interfaceName s since=34
ips [s since=34
""",
    "resource.v1.NodeAllocatableMapping": """
capacityKey s since=37
capacityMultiplier u since=37
deviceMultiplier u since=37
""",
    "resource.v1.NodeAllocatableOverhead": """
perContainer u since=37
perPod u since=37
""",
    "resource.v1.NodeAllocatableResource": """
mapping @resource.v1.NodeAllocatableMapping since=37
overhead @resource.v1.NodeAllocatableOverhead since=37
""",
    "resource.v1.NodeAllocatableResourceMapping": """
allocationMultiplier u since=36 until=36
capacityKey s since=36 until=36
""",
    "resource.v1.OpaqueDeviceConfiguration": """
driver s since=34
parameters ? since=34
""",
    "resource.v1.ResourceClaim": """
apiVersion s since=34
kind s since=34
metadata @meta.v1.ObjectMeta since=34
spec @resource.v1.ResourceClaimSpec since=34
status @resource.v1.ResourceClaimStatus since=34
""",
    "resource.v1.ResourceClaimConsumerReference": """
apiGroup s since=34
name s since=34
resource s since=34
uid s~"" since=34
""",
    "resource.v1.ResourceClaimList": """
apiVersion s since=34
items [@resource.v1.ResourceClaim since=34
kind s since=34
metadata @meta.v1.ListMeta since=34
""",
    "resource.v1.ResourceClaimSpec": """
devices @resource.v1.DeviceClaim since=34
""",
    "resource.v1.ResourceClaimStatus": """
allocation @resource.v1.AllocationResult since=34
devices {driver,device,pool,shareID}@resource.v1.AllocatedDeviceStatus since=34
reservedFor {uid}@resource.v1.ResourceClaimConsumerReference since=34
""",
    "resource.v1.ResourceClaimTemplate": """
apiVersion s since=34
kind s since=34
metadata @meta.v1.ObjectMeta since=34
spec @resource.v1.ResourceClaimTemplateSpec since=34
""",
    "resource.v1.ResourceClaimTemplateList": """
apiVersion s since=34
items [@resource.v1.ResourceClaimTemplate since=34
kind s since=34
metadata @meta.v1.ListMeta since=34
""",
    "resource.v1.ResourceClaimTemplateSpec": """
metadata @meta.v1.ObjectMeta since=34
spec @resource.v1.ResourceClaimSpec since=34
""",
    "resource.v1.ResourcePool": """
generation n since=34
name s since=34
resourceSliceCount n since=34
""",
    "resource.v1.ResourceSlice": """
apiVersion s since=34
kind s since=34
metadata @meta.v1.ObjectMeta since=34
spec @resource.v1.ResourceSliceSpec since=34
""",
    "resource.v1.ResourceSliceList": """
apiVersion s since=34
items [@resource.v1.ResourceSlice since=34
kind s since=34
metadata @meta.v1.ListMeta since=34
""",
    "resource.v1.ResourceSliceSpec": """
allNodes b since=34
devices [@resource.v1.Device since=34
driver s since=34
nodeName s since=34
nodeSelector @core.v1.NodeSelector since=34
partitionTypeAttribute s since=37
perDeviceNodeSelection b since=34
pool @resource.v1.ResourcePool since=34
sharedCounters [@resource.v1.CounterSet since=34
skipNodeOperations {}s since=37
""",
    "resource.v1alpha2.AllocationResult": """
availableOnNodes @core.v1.NodeSelector until=30
resourceHandles [@resource.v1alpha2.ResourceHandle until=30
shareable b until=30
""",
    "resource.v1alpha2.DriverAllocationResult": """
namedResources @resource.v1alpha2.NamedResourcesAllocationResult since=30 until=30
vendorRequestParameters ? since=30 until=30
""",
    "resource.v1alpha2.DriverRequests": """
driverName s since=30 until=30
requests [@resource.v1alpha2.ResourceRequest since=30 until=30
vendorParameters ? since=30 until=30
""",
    "resource.v1alpha2.NamedResourcesAllocationResult": """
name s since=30 until=30
""",
    "resource.v1alpha2.NamedResourcesAttribute": """
bool b since=30 until=30
int n since=30 until=30
intSlice @resource.v1alpha2.NamedResourcesIntSlice since=30 until=30
name s since=30 until=30
quantity u since=30 until=30
string s since=30 until=30
stringSlice @resource.v1alpha2.NamedResourcesStringSlice since=30 until=30
version s since=30 until=30
""",
    "resource.v1alpha2.NamedResourcesFilter": """
selector s since=30 until=30
""",
    "resource.v1alpha2.NamedResourcesInstance": """
attributes [@resource.v1alpha2.NamedResourcesAttribute since=30 until=30
name s since=30 until=30
""",
    "resource.v1alpha2.NamedResourcesIntSlice": """
ints [n since=30 until=30
""",
    "resource.v1alpha2.NamedResourcesRequest": """
selector s since=30 until=30
""",
    "resource.v1alpha2.NamedResourcesResources": """
instances [@resource.v1alpha2.NamedResourcesInstance since=30 until=30
""",
    "resource.v1alpha2.NamedResourcesStringSlice": """
strings [s since=30 until=30
""",
    "resource.v1alpha2.PodSchedulingContext": """
apiVersion s until=30
kind s until=30
metadata @meta.v1.ObjectMeta until=30
spec @resource.v1alpha2.PodSchedulingContextSpec until=30
status @resource.v1alpha2.PodSchedulingContextStatus until=30
""",
    "resource.v1alpha2.PodSchedulingContextList": """
apiVersion s until=30
items [@resource.v1alpha2.PodSchedulingContext until=30
kind s until=30
metadata @meta.v1.ListMeta until=30
""",
    "resource.v1alpha2.PodSchedulingContextSpec": """
potentialNodes {}s until=28
potentialNodes [s since=29 until=30
selectedNode s until=30
""",
    "resource.v1alpha2.PodSchedulingContextStatus": """
resourceClaims {name}@resource.v1alpha2.ResourceClaimSchedulingStatus until=30
""",
    "resource.v1alpha2.ResourceClaim": """
apiVersion s until=30
kind s until=30
metadata @meta.v1.ObjectMeta until=30
spec @resource.v1alpha2.ResourceClaimSpec until=30
status @resource.v1alpha2.ResourceClaimStatus until=30
""",
    "resource.v1alpha2.ResourceClaimConsumerReference": """
apiGroup s until=30
name s until=30
resource s until=30
uid s~"" until=30
""",
    "resource.v1alpha2.ResourceClaimList": """
apiVersion s until=30
items [@resource.v1alpha2.ResourceClaim until=30
kind s until=30
metadata @meta.v1.ListMeta until=30
""",
    "resource.v1alpha2.ResourceClaimParameters": """
apiVersion s since=30 until=30
driverRequests [@resource.v1alpha2.DriverRequests since=30 until=30
generatedFrom @resource.v1alpha2.ResourceClaimParametersReference since=30 until=30
kind s since=30 until=30
metadata @meta.v1.ObjectMeta since=30 until=30
shareable b since=30 until=30
""",
    "resource.v1alpha2.ResourceClaimParametersList": """
apiVersion s since=30 until=30
items [@resource.v1alpha2.ResourceClaimParameters since=30 until=30
kind s since=30 until=30
metadata @meta.v1.ListMeta since=30 until=30
""",
    "resource.v1alpha2.ResourceClaimParametersReference": """
apiGroup s until=30
kind s until=30
name s until=30
""",
    "resource.v1alpha2.ResourceClaimSchedulingStatus": """
name s until=30
unsuitableNodes {}s until=28
unsuitableNodes [s since=29 until=30
""",
    "resource.v1alpha2.ResourceClaimSpec": """
allocationMode s until=30
parametersRef @resource.v1alpha2.ResourceClaimParametersReference until=30
resourceClassName s until=30
""",
    "resource.v1alpha2.ResourceClaimStatus": """
allocation @resource.v1alpha2.AllocationResult until=30
deallocationRequested b until=30
driverName s until=30
reservedFor {uid}@resource.v1alpha2.ResourceClaimConsumerReference until=30
""",
    "resource.v1alpha2.ResourceClaimTemplate": """
apiVersion s until=30
kind s until=30
metadata @meta.v1.ObjectMeta until=30
spec @resource.v1alpha2.ResourceClaimTemplateSpec until=30
""",
    "resource.v1alpha2.ResourceClaimTemplateList": """
apiVersion s until=30
items [@resource.v1alpha2.ResourceClaimTemplate until=30
kind s until=30
metadata @meta.v1.ListMeta until=30
""",
    "resource.v1alpha2.ResourceClaimTemplateSpec": """
metadata @meta.v1.ObjectMeta until=30
spec @resource.v1alpha2.ResourceClaimSpec until=30
""",
    "resource.v1alpha2.ResourceClass": """
apiVersion s until=30
driverName s until=30
kind s until=30
metadata @meta.v1.ObjectMeta until=30
parametersRef @resource.v1alpha2.ResourceClassParametersReference until=30
structuredParameters b since=30 until=30
suitableNodes @core.v1.NodeSelector until=30
""",
    "resource.v1alpha2.ResourceClassList": """
apiVersion s until=30
items [@resource.v1alpha2.ResourceClass until=30
kind s until=30
metadata @meta.v1.ListMeta until=30
""",
    "resource.v1alpha2.ResourceClassParameters": """
apiVersion s since=30 until=30
filters [@resource.v1alpha2.ResourceFilter since=30 until=30
generatedFrom @resource.v1alpha2.ResourceClassParametersReference since=30 until=30
kind s since=30 until=30
metadata @meta.v1.ObjectMeta since=30 until=30
vendorParameters [@resource.v1alpha2.VendorParameters since=30 until=30
""",
    "resource.v1alpha2.ResourceClassParametersList": """
apiVersion s since=30 until=30
items [@resource.v1alpha2.ResourceClassParameters since=30 until=30
kind s since=30 until=30
metadata @meta.v1.ListMeta since=30 until=30
""",
    "resource.v1alpha2.ResourceClassParametersReference": """
apiGroup s until=30
kind s until=30
name s until=30
namespace s until=30
""",
    "resource.v1alpha2.ResourceFilter": """
driverName s since=30 until=30
namedResources @resource.v1alpha2.NamedResourcesFilter since=30 until=30
""",
    "resource.v1alpha2.ResourceHandle": """
data s until=30
driverName s until=30
structuredData @resource.v1alpha2.StructuredResourceHandle since=30 until=30
""",
    "resource.v1alpha2.ResourceRequest": """
namedResources @resource.v1alpha2.NamedResourcesRequest since=30 until=30
vendorParameters ? since=30 until=30
""",
    "resource.v1alpha2.ResourceSlice": """
apiVersion s since=30 until=30
driverName s since=30 until=30
kind s since=30 until=30
metadata @meta.v1.ObjectMeta since=30 until=30
namedResources @resource.v1alpha2.NamedResourcesResources since=30 until=30
nodeName s since=30 until=30
""",
    "resource.v1alpha2.ResourceSliceList": """
apiVersion s since=30 until=30
items [@resource.v1alpha2.ResourceSlice since=30 until=30
kind s since=30 until=30
metadata @meta.v1.ListMeta since=30 until=30
""",
    "resource.v1alpha2.StructuredResourceHandle": """
nodeName s since=30 until=30
results [@resource.v1alpha2.DriverAllocationResult since=30 until=30
vendorClaimParameters ? since=30 until=30
vendorClassParameters ? since=30 until=30
""",
    "resource.v1alpha2.VendorParameters": """
driverName s since=30 until=30
parameters ? since=30 until=30
""",
    "resource.v1alpha3.AllocatedDeviceStatus": """
conditions {type}@meta.v1.Condition since=32 until=33
data ? since=32 until=33
device s~"" since=32 until=33
driver s~"" since=32 until=33
networkData @resource.v1alpha3.NetworkDeviceData since=32 until=33
pool s~"" since=32 until=33
""",
    "resource.v1alpha3.AllocationResult": """
controller s since=31 until=31
devices @resource.v1alpha3.DeviceAllocationResult since=31 until=33
nodeSelector @core.v1.NodeSelector since=31 until=33
""",
    "resource.v1alpha3.BasicDevice": """
allNodes b since=33 until=33
attributes <@resource.v1alpha3.DeviceAttribute since=31 until=33
capacity <u since=31 until=33
consumesCounters [@resource.v1alpha3.DeviceCounterConsumption since=33 until=33
nodeName s since=33 until=33
nodeSelector @core.v1.NodeSelector since=33 until=33
taints [@resource.v1alpha3.DeviceTaint since=33 until=33
""",
    "resource.v1alpha3.CELDeviceSelector": """
expression s since=31 until=34
""",
    "resource.v1alpha3.Counter": """
value u since=33 until=33
""",
    "resource.v1alpha3.CounterSet": """
counters <@resource.v1alpha3.Counter since=33 until=33
name s since=33 until=33
""",
    "resource.v1alpha3.Device": """
basic @resource.v1alpha3.BasicDevice since=31 until=33
name s since=31 until=33
""",
    "resource.v1alpha3.DeviceAllocationConfiguration": """
opaque @resource.v1alpha3.OpaqueDeviceConfiguration since=31 until=33
requests [s since=31 until=33
source s since=31 until=33
""",
    "resource.v1alpha3.DeviceAllocationResult": """
config [@resource.v1alpha3.DeviceAllocationConfiguration since=31 until=33
results [@resource.v1alpha3.DeviceRequestAllocationResult since=31 until=33
""",
    "resource.v1alpha3.DeviceAttribute": """
bool b since=31 until=33
int n since=31 until=33
string s since=31 until=33
version s since=31 until=33
""",
    "resource.v1alpha3.DeviceClaim": """
config [@resource.v1alpha3.DeviceClaimConfiguration since=31 until=33
constraints [@resource.v1alpha3.DeviceConstraint since=31 until=33
requests [@resource.v1alpha3.DeviceRequest since=31 until=33
""",
    "resource.v1alpha3.DeviceClaimConfiguration": """
opaque @resource.v1alpha3.OpaqueDeviceConfiguration since=31 until=33
requests [s since=31 until=33
""",
    "resource.v1alpha3.DeviceClass": """
apiVersion s since=31 until=33
kind s since=31 until=33
metadata @meta.v1.ObjectMeta since=31 until=33
spec @resource.v1alpha3.DeviceClassSpec since=31 until=33
""",
    "resource.v1alpha3.DeviceClassConfiguration": """
opaque @resource.v1alpha3.OpaqueDeviceConfiguration since=31 until=33
""",
    "resource.v1alpha3.DeviceClassList": """
apiVersion s since=31 until=33
items [@resource.v1alpha3.DeviceClass since=31 until=33
kind s since=31 until=33
metadata @meta.v1.ListMeta since=31 until=33
""",
    "resource.v1alpha3.DeviceClassSpec": """
config [@resource.v1alpha3.DeviceClassConfiguration since=31 until=33
selectors [@resource.v1alpha3.DeviceSelector since=31 until=33
suitableNodes @core.v1.NodeSelector since=31 until=31
""",
    "resource.v1alpha3.DeviceConstraint": """
matchAttribute s since=31 until=33
requests [s since=31 until=33
""",
    "resource.v1alpha3.DeviceCounterConsumption": """
counterSet s since=33 until=33
counters <@resource.v1alpha3.Counter since=33 until=33
""",
    "resource.v1alpha3.DeviceRequest": """
adminAccess b since=31 until=33
allocationMode s since=31 until=33
count n since=31 until=33
deviceClassName s since=31 until=33
firstAvailable [@resource.v1alpha3.DeviceSubRequest since=33 until=33
name s since=31 until=33
selectors [@resource.v1alpha3.DeviceSelector since=31 until=33
tolerations [@resource.v1alpha3.DeviceToleration since=33 until=33
""",
    "resource.v1alpha3.DeviceRequestAllocationResult": """
adminAccess b since=32 until=33
device s since=31 until=33
driver s since=31 until=33
pool s since=31 until=33
request s since=31 until=33
tolerations [@resource.v1alpha3.DeviceToleration since=33 until=33
""",
    "resource.v1alpha3.DeviceSelector": """
cel @resource.v1alpha3.CELDeviceSelector since=31 until=34
""",
    "resource.v1alpha3.DeviceSubRequest": """
allocationMode s since=33 until=33
count n since=33 until=33
deviceClassName s since=33 until=33
name s since=33 until=33
selectors [@resource.v1alpha3.DeviceSelector since=33 until=33
tolerations [@resource.v1alpha3.DeviceToleration since=33 until=33
""",
    "resource.v1alpha3.DeviceTaint": """
effect s since=33
key s since=33
timeAdded u since=33
value s since=33
""",
    "resource.v1alpha3.DeviceTaintRule": """
apiVersion s since=33
kind s since=33
metadata @meta.v1.ObjectMeta since=33
spec @resource.v1alpha3.DeviceTaintRuleSpec since=33
status @resource.v1alpha3.DeviceTaintRuleStatus since=35
""",
    "resource.v1alpha3.DeviceTaintRuleList": """
apiVersion s since=33
items [@resource.v1alpha3.DeviceTaintRule since=33
kind s since=33
metadata @meta.v1.ListMeta since=33
""",
    "resource.v1alpha3.DeviceTaintRuleSpec": """
deviceSelector @resource.v1alpha3.DeviceTaintSelector since=33
taint @resource.v1alpha3.DeviceTaint since=33
""",
    "resource.v1alpha3.DeviceTaintRuleStatus": """
conditions {type}@meta.v1.Condition since=35
""",
    "resource.v1alpha3.DeviceTaintSelector": """
device s since=33
deviceClassName s since=33 until=34
driver s since=33
pool s since=33
selectors [@resource.v1alpha3.DeviceSelector since=33 until=34
""",
    "resource.v1alpha3.DeviceToleration": """
effect s since=33 until=33
key s since=33 until=33
operator s since=33 until=33
tolerationSeconds n since=33 until=33
value s since=33 until=33
""",
    "resource.v1alpha3.NetworkDeviceData": """
hardwareAddress s since=32 until=33
interfaceName s since=32 until=33
ips [s since=32 until=33
""",
    "resource.v1alpha3.OpaqueDeviceConfiguration": """
driver s since=31 until=33
parameters ? since=31 until=33
""",
    "resource.v1alpha3.PartitionTypeStatus": """
allocatable n since=37
attribute s since=37
total n since=37
type s since=37
""",
    "resource.v1alpha3.PodSchedulingContext": """
apiVersion s since=31 until=31
kind s since=31 until=31
metadata @meta.v1.ObjectMeta since=31 until=31
spec @resource.v1alpha3.PodSchedulingContextSpec since=31 until=31
status @resource.v1alpha3.PodSchedulingContextStatus since=31 until=31
""",
    "resource.v1alpha3.PodSchedulingContextList": """
apiVersion s since=31 until=31
items [@resource.v1alpha3.PodSchedulingContext since=31 until=31
kind s since=31 until=31
metadata @meta.v1.ListMeta since=31 until=31
""",
    "resource.v1alpha3.PodSchedulingContextSpec": """
potentialNodes [s since=31 until=31
selectedNode s since=31 until=31
""",
    "resource.v1alpha3.PodSchedulingContextStatus": """
resourceClaims {name}@resource.v1alpha3.ResourceClaimSchedulingStatus since=31 until=31
""",
    "resource.v1alpha3.PoolStatus": """
allocatedDevices n since=36
availableDevices n since=36
driver s since=36
generation n since=36
nodeName s since=36
partitionSummary [@resource.v1alpha3.PartitionTypeStatus since=37
poolName s since=36
resourceSliceCount n since=36
shareableSummary @resource.v1alpha3.ShareableSummaryStatus since=37
totalDevices n since=36
unavailableDevices n since=36
validationError s since=36
""",
    "resource.v1alpha3.ResourceClaim": """
apiVersion s since=31 until=33
kind s since=31 until=33
metadata @meta.v1.ObjectMeta since=31 until=33
spec @resource.v1alpha3.ResourceClaimSpec since=31 until=33
status @resource.v1alpha3.ResourceClaimStatus since=31 until=33
""",
    "resource.v1alpha3.ResourceClaimConsumerReference": """
apiGroup s since=31 until=33
name s since=31 until=33
resource s since=31 until=33
uid s~"" since=31 until=33
""",
    "resource.v1alpha3.ResourceClaimList": """
apiVersion s since=31 until=33
items [@resource.v1alpha3.ResourceClaim since=31 until=33
kind s since=31 until=33
metadata @meta.v1.ListMeta since=31 until=33
""",
    "resource.v1alpha3.ResourceClaimSchedulingStatus": """
name s~"" since=31 until=31
unsuitableNodes [s since=31 until=31
""",
    "resource.v1alpha3.ResourceClaimSpec": """
controller s since=31 until=31
devices @resource.v1alpha3.DeviceClaim since=31 until=33
""",
    "resource.v1alpha3.ResourceClaimStatus": """
allocation @resource.v1alpha3.AllocationResult since=31 until=33
deallocationRequested b since=31 until=31
devices {driver,device,pool}@resource.v1alpha3.AllocatedDeviceStatus since=32 until=33
reservedFor {uid}@resource.v1alpha3.ResourceClaimConsumerReference since=31 until=33
""",
    "resource.v1alpha3.ResourceClaimTemplate": """
apiVersion s since=31 until=33
kind s since=31 until=33
metadata @meta.v1.ObjectMeta since=31 until=33
spec @resource.v1alpha3.ResourceClaimTemplateSpec since=31 until=33
""",
    "resource.v1alpha3.ResourceClaimTemplateList": """
apiVersion s since=31 until=33
items [@resource.v1alpha3.ResourceClaimTemplate since=31 until=33
kind s since=31 until=33
metadata @meta.v1.ListMeta since=31 until=33
""",
    "resource.v1alpha3.ResourceClaimTemplateSpec": """
metadata @meta.v1.ObjectMeta since=31 until=33
spec @resource.v1alpha3.ResourceClaimSpec since=31 until=33
""",
    "resource.v1alpha3.ResourcePool": """
generation n since=31 until=33
name s since=31 until=33
resourceSliceCount n since=31 until=33
""",
    "resource.v1alpha3.ResourcePoolStatusRequest": """
apiVersion s since=36
kind s since=36
metadata @meta.v1.ObjectMeta since=36
spec @resource.v1alpha3.ResourcePoolStatusRequestSpec since=36
status @resource.v1alpha3.ResourcePoolStatusRequestStatus since=36
""",
    "resource.v1alpha3.ResourcePoolStatusRequestList": """
apiVersion s since=36
items [@resource.v1alpha3.ResourcePoolStatusRequest since=36
kind s since=36
metadata @meta.v1.ListMeta since=36
""",
    "resource.v1alpha3.ResourcePoolStatusRequestSpec": """
defaultPartitionTypeAttribute s since=37
driver s since=36
limit n since=36
poolName s since=36
""",
    "resource.v1alpha3.ResourcePoolStatusRequestStatus": """
conditions {type}@meta.v1.Condition since=36
poolCount n since=36
pools [@resource.v1alpha3.PoolStatus since=36
""",
    "resource.v1alpha3.ResourceSlice": """
apiVersion s since=31 until=33
kind s since=31 until=33
metadata @meta.v1.ObjectMeta since=31 until=33
spec @resource.v1alpha3.ResourceSliceSpec since=31 until=33
""",
    "resource.v1alpha3.ResourceSliceList": """
apiVersion s since=31 until=33
items [@resource.v1alpha3.ResourceSlice since=31 until=33
kind s since=31 until=33
listMeta @meta.v1.ListMeta since=31 until=31
metadata @meta.v1.ListMeta since=32 until=33
""",
    "resource.v1alpha3.ResourceSliceSpec": """
allNodes b since=31 until=33
devices [@resource.v1alpha3.Device since=31 until=33
driver s since=31 until=33
nodeName s since=31 until=33
nodeSelector @core.v1.NodeSelector since=31 until=33
perDeviceNodeSelection b since=33 until=33
pool @resource.v1alpha3.ResourcePool since=31 until=33
sharedCounters [@resource.v1alpha3.CounterSet since=33 until=33
""",
    "resource.v1alpha3.ShareableCapacityStatus": """
available u since=37
consumed u since=37
name s since=37
total u since=37
""",
    "resource.v1alpha3.ShareableSummaryStatus": """
capacity [@resource.v1alpha3.ShareableCapacityStatus since=37
fullyAvailableDevices n since=37
partiallyAvailableDevices n since=37
""",
    "resource.v1beta1.AllocatedDeviceStatus": """
conditions {type}@meta.v1.Condition since=32
data ? since=32
device s~"" since=32
driver s~"" since=32
networkData @resource.v1beta1.NetworkDeviceData since=32
pool s~"" since=32
shareID s since=34
""",
    "resource.v1beta1.AllocationResult": """
allocationTimestamp u since=34
devices @resource.v1beta1.DeviceAllocationResult since=32
nodeSelector @core.v1.NodeSelector since=32
""",
    "resource.v1beta1.BasicDevice": """
allNodes b since=33
allowMultipleAllocations b since=34
attributes <@resource.v1beta1.DeviceAttribute since=32
bindingConditions [s since=34
bindingFailureConditions [s since=34
bindsToNode b since=34
capacity <@resource.v1beta1.DeviceCapacity since=32
consumesCounters [@resource.v1beta1.DeviceCounterConsumption since=33
nodeAllocatableResourceMappings <@resource.v1beta1.NodeAllocatableResourceMapping since=36 until=36
nodeAllocatableResources <@resource.v1beta1.NodeAllocatableResource since=37
nodeName s since=33
nodeSelector @core.v1.NodeSelector since=33
taints [@resource.v1beta1.DeviceTaint since=33
""",
    "resource.v1beta1.CELDeviceSelector": """
expression s since=32
""",
    "resource.v1beta1.CapacityRequestPolicy": """
default u since=34
validRange @resource.v1beta1.CapacityRequestPolicyRange since=34
validValues [u since=34
""",
    "resource.v1beta1.CapacityRequestPolicyRange": """
max u since=34
min u since=34
step u since=34
""",
    "resource.v1beta1.CapacityRequirements": """
requests <u since=34
""",
    "resource.v1beta1.Counter": """
value u since=33
""",
    "resource.v1beta1.CounterSet": """
counters <@resource.v1beta1.Counter since=33
name s since=33
""",
    "resource.v1beta1.Device": """
basic @resource.v1beta1.BasicDevice since=32
name s since=32
""",
    "resource.v1beta1.DeviceAllocationConfiguration": """
opaque @resource.v1beta1.OpaqueDeviceConfiguration since=32
requests [s since=32
source s since=32
""",
    "resource.v1beta1.DeviceAllocationResult": """
config [@resource.v1beta1.DeviceAllocationConfiguration since=32
results [@resource.v1beta1.DeviceRequestAllocationResult since=32
""",
    "resource.v1beta1.DeviceAttribute": """
bool b since=32
bools [b since=36
int n since=32
ints [n since=36
string s since=32
strings [s since=36
version s since=32
versions [s since=36
""",
    "resource.v1beta1.DeviceCapacity": """
requestPolicy @resource.v1beta1.CapacityRequestPolicy since=34
value u since=32
""",
    "resource.v1beta1.DeviceClaim": """
config [@resource.v1beta1.DeviceClaimConfiguration since=32
constraints [@resource.v1beta1.DeviceConstraint since=32
requests [@resource.v1beta1.DeviceRequest since=32
""",
    "resource.v1beta1.DeviceClaimConfiguration": """
opaque @resource.v1beta1.OpaqueDeviceConfiguration since=32
requests [s since=32
""",
    "resource.v1beta1.DeviceClass": """
apiVersion s since=32
kind s since=32
metadata @meta.v1.ObjectMeta since=32
spec @resource.v1beta1.DeviceClassSpec since=32
""",
    "resource.v1beta1.DeviceClassConfiguration": """
opaque @resource.v1beta1.OpaqueDeviceConfiguration since=32
""",
    "resource.v1beta1.DeviceClassList": """
apiVersion s since=32
items [@resource.v1beta1.DeviceClass since=32
kind s since=32
metadata @meta.v1.ListMeta since=32
""",
    "resource.v1beta1.DeviceClassSpec": """
config [@resource.v1beta1.DeviceClassConfiguration since=32
extendedResourceName s since=34
selectors [@resource.v1beta1.DeviceSelector since=32
""",
    "resource.v1beta1.DeviceConstraint": """
distinctAttribute s since=34
matchAttribute s since=32
requests [s since=32
""",
    "resource.v1beta1.DeviceCounterConsumption": """
compatibilityGroups [s since=37
counterSet s since=33
counters <@resource.v1beta1.Counter since=33
""",
    "resource.v1beta1.DeviceDerivedAttribute": """
expression s since=37
name s since=37
""",
    "resource.v1beta1.DeviceRequest": """
adminAccess b since=32
allocationMode s since=32
capacity @resource.v1beta1.CapacityRequirements since=34
count n since=32
derivedAttributes [@resource.v1beta1.DeviceDerivedAttribute since=37
deviceClassName s since=32
firstAvailable [@resource.v1beta1.DeviceSubRequest since=33
name s since=32
selectors [@resource.v1beta1.DeviceSelector since=32
tolerations [@resource.v1beta1.DeviceToleration since=33
""",
    "resource.v1beta1.DeviceRequestAllocationResult": """
adminAccess b since=32
bindingConditions [s since=34
bindingFailureConditions [s since=34
consumedCapacity <u since=34
device s since=32
driver s since=32
pool s since=32
request s since=32
shareID s since=34
skipNodeOperations {}s since=37
tolerations [@resource.v1beta1.DeviceToleration since=33
""",
    "resource.v1beta1.DeviceSelector": """
cel @resource.v1beta1.CELDeviceSelector since=32
""",
    "resource.v1beta1.DeviceSubRequest": """
allocationMode s since=33
capacity @resource.v1beta1.CapacityRequirements since=34
count n since=33
derivedAttributes [@resource.v1beta1.DeviceDerivedAttribute since=37
deviceClassName s since=33
name s since=33
selectors [@resource.v1beta1.DeviceSelector since=33
tolerations [@resource.v1beta1.DeviceToleration since=33
""",
    "resource.v1beta1.DeviceTaint": """
effect s since=33
key s since=33
timeAdded u since=33
value s since=33
""",
    "resource.v1beta1.DeviceToleration": """
effect s since=33
key s since=33
operator s since=33
tolerationSeconds n since=33
value s since=33
""",
    "resource.v1beta1.NetworkDeviceData": """
hardwareAddress s since=32
interfaceName s since=32
ips [s since=32
""",
    "resource.v1beta1.NodeAllocatableMapping": """
capacityKey s since=37
capacityMultiplier u since=37
deviceMultiplier u since=37
""",
    "resource.v1beta1.NodeAllocatableOverhead": """
perContainer u since=37
perPod u since=37
""",
    "resource.v1beta1.NodeAllocatableResource": """
mapping @resource.v1beta1.NodeAllocatableMapping since=37
overhead @resource.v1beta1.NodeAllocatableOverhead since=37
""",
    "resource.v1beta1.NodeAllocatableResourceMapping": """
allocationMultiplier u since=36 until=36
capacityKey s since=36 until=36
""",
    "resource.v1beta1.OpaqueDeviceConfiguration": """
driver s since=32
parameters ? since=32
""",
    "resource.v1beta1.ResourceClaim": """
apiVersion s since=32
kind s since=32
metadata @meta.v1.ObjectMeta since=32
spec @resource.v1beta1.ResourceClaimSpec since=32
status @resource.v1beta1.ResourceClaimStatus since=32
""",
    "resource.v1beta1.ResourceClaimConsumerReference": """
apiGroup s since=32
name s since=32
resource s since=32
uid s~"" since=32
""",
    "resource.v1beta1.ResourceClaimList": """
apiVersion s since=32
items [@resource.v1beta1.ResourceClaim since=32
kind s since=32
metadata @meta.v1.ListMeta since=32
""",
    "resource.v1beta1.ResourceClaimSpec": """
devices @resource.v1beta1.DeviceClaim since=32
""",
    "resource.v1beta1.ResourceClaimStatus": """
allocation @resource.v1beta1.AllocationResult since=32
devices {driver,device,pool}@resource.v1beta1.AllocatedDeviceStatus since=32 until=33
devices {driver,device,pool,shareID}@resource.v1beta1.AllocatedDeviceStatus since=34
reservedFor {uid}@resource.v1beta1.ResourceClaimConsumerReference since=32
""",
    "resource.v1beta1.ResourceClaimTemplate": """
apiVersion s since=32
kind s since=32
metadata @meta.v1.ObjectMeta since=32
spec @resource.v1beta1.ResourceClaimTemplateSpec since=32
""",
    "resource.v1beta1.ResourceClaimTemplateList": """
apiVersion s since=32
items [@resource.v1beta1.ResourceClaimTemplate since=32
kind s since=32
metadata @meta.v1.ListMeta since=32
""",
    "resource.v1beta1.ResourceClaimTemplateSpec": """
metadata @meta.v1.ObjectMeta since=32
spec @resource.v1beta1.ResourceClaimSpec since=32
""",
    "resource.v1beta1.ResourcePool": """
generation n since=32
name s since=32
resourceSliceCount n since=32
""",
    "resource.v1beta1.ResourceSlice": """
apiVersion s since=32
kind s since=32
metadata @meta.v1.ObjectMeta since=32
spec @resource.v1beta1.ResourceSliceSpec since=32
""",
    "resource.v1beta1.ResourceSliceList": """
apiVersion s since=32
items [@resource.v1beta1.ResourceSlice since=32
kind s since=32
metadata @meta.v1.ListMeta since=32
""",
    "resource.v1beta1.ResourceSliceSpec": """
allNodes b since=32
devices [@resource.v1beta1.Device since=32
driver s since=32
nodeName s since=32
nodeSelector @core.v1.NodeSelector since=32
partitionTypeAttribute s since=37
perDeviceNodeSelection b since=33
pool @resource.v1beta1.ResourcePool since=32
sharedCounters [@resource.v1beta1.CounterSet since=33
skipNodeOperations {}s since=37
""",
    "resource.v1beta2.AllocatedDeviceStatus": """
conditions {type}@meta.v1.Condition since=33
data ? since=33
device s~"" since=33
driver s~"" since=33
networkData @resource.v1beta2.NetworkDeviceData since=33
pool s~"" since=33
shareID s since=34
""",
    "resource.v1beta2.AllocationResult": """
allocationTimestamp u since=34
devices @resource.v1beta2.DeviceAllocationResult since=33
nodeSelector @core.v1.NodeSelector since=33
""",
    "resource.v1beta2.CELDeviceSelector": """
expression s since=33
""",
    "resource.v1beta2.CapacityRequestPolicy": """
default u since=34
validRange @resource.v1beta2.CapacityRequestPolicyRange since=34
validValues [u since=34
""",
    "resource.v1beta2.CapacityRequestPolicyRange": """
max u since=34
min u since=34
step u since=34
""",
    "resource.v1beta2.CapacityRequirements": """
requests <u since=34
""",
    "resource.v1beta2.Counter": """
value u since=33
""",
    "resource.v1beta2.CounterSet": """
counters <@resource.v1beta2.Counter since=33
name s since=33
""",
    "resource.v1beta2.Device": """
allNodes b since=33
allowMultipleAllocations b since=34
attributes <@resource.v1beta2.DeviceAttribute since=33
bindingConditions [s since=34
bindingFailureConditions [s since=34
bindsToNode b since=34
capacity <@resource.v1beta2.DeviceCapacity since=33
consumesCounters [@resource.v1beta2.DeviceCounterConsumption since=33
name s since=33
nodeAllocatableResourceMappings <@resource.v1beta2.NodeAllocatableResourceMapping since=36 until=36
nodeAllocatableResources <@resource.v1beta2.NodeAllocatableResource since=37
nodeName s since=33
nodeSelector @core.v1.NodeSelector since=33
taints [@resource.v1beta2.DeviceTaint since=33
""",
    "resource.v1beta2.DeviceAllocationConfiguration": """
opaque @resource.v1beta2.OpaqueDeviceConfiguration since=33
requests [s since=33
source s since=33
""",
    "resource.v1beta2.DeviceAllocationResult": """
config [@resource.v1beta2.DeviceAllocationConfiguration since=33
results [@resource.v1beta2.DeviceRequestAllocationResult since=33
""",
    "resource.v1beta2.DeviceAttribute": """
bool b since=33
bools [b since=36
int n since=33
ints [n since=36
string s since=33
strings [s since=36
version s since=33
versions [s since=36
""",
    "resource.v1beta2.DeviceCapacity": """
requestPolicy @resource.v1beta2.CapacityRequestPolicy since=34
value u since=33
""",
    "resource.v1beta2.DeviceClaim": """
config [@resource.v1beta2.DeviceClaimConfiguration since=33
constraints [@resource.v1beta2.DeviceConstraint since=33
requests [@resource.v1beta2.DeviceRequest since=33
""",
    "resource.v1beta2.DeviceClaimConfiguration": """
opaque @resource.v1beta2.OpaqueDeviceConfiguration since=33
requests [s since=33
""",
    "resource.v1beta2.DeviceClass": """
apiVersion s since=33
kind s since=33
metadata @meta.v1.ObjectMeta since=33
spec @resource.v1beta2.DeviceClassSpec since=33
""",
    "resource.v1beta2.DeviceClassConfiguration": """
opaque @resource.v1beta2.OpaqueDeviceConfiguration since=33
""",
    "resource.v1beta2.DeviceClassList": """
apiVersion s since=33
items [@resource.v1beta2.DeviceClass since=33
kind s since=33
metadata @meta.v1.ListMeta since=33
""",
    "resource.v1beta2.DeviceClassSpec": """
config [@resource.v1beta2.DeviceClassConfiguration since=33
extendedResourceName s since=34
selectors [@resource.v1beta2.DeviceSelector since=33
""",
    "resource.v1beta2.DeviceConstraint": """
distinctAttribute s since=34
matchAttribute s since=33
requests [s since=33
""",
    "resource.v1beta2.DeviceCounterConsumption": """
compatibilityGroups [s since=37
counterSet s since=33
counters <@resource.v1beta2.Counter since=33
""",
    "resource.v1beta2.DeviceDerivedAttribute": """
expression s since=37
name s since=37
""",
    "resource.v1beta2.DeviceRequest": """
exactly @resource.v1beta2.ExactDeviceRequest since=33
firstAvailable [@resource.v1beta2.DeviceSubRequest since=33
name s since=33
""",
    "resource.v1beta2.DeviceRequestAllocationResult": """
adminAccess b since=33
bindingConditions [s since=34
bindingFailureConditions [s since=34
consumedCapacity <u since=34
device s since=33
driver s since=33
pool s since=33
request s since=33
shareID s since=34
skipNodeOperations {}s since=37
tolerations [@resource.v1beta2.DeviceToleration since=33
""",
    "resource.v1beta2.DeviceSelector": """
cel @resource.v1beta2.CELDeviceSelector since=33
""",
    "resource.v1beta2.DeviceSubRequest": """
allocationMode s since=33
capacity @resource.v1beta2.CapacityRequirements since=34
count n since=33
derivedAttributes [@resource.v1beta2.DeviceDerivedAttribute since=37
deviceClassName s since=33
name s since=33
selectors [@resource.v1beta2.DeviceSelector since=33
tolerations [@resource.v1beta2.DeviceToleration since=33
""",
    "resource.v1beta2.DeviceTaint": """
effect s since=33
key s since=33
timeAdded u since=33
value s since=33
""",
    "resource.v1beta2.DeviceTaintRule": """
apiVersion s since=36
kind s since=36
metadata @meta.v1.ObjectMeta since=36
spec @resource.v1beta2.DeviceTaintRuleSpec since=36
status @resource.v1beta2.DeviceTaintRuleStatus since=36
""",
    "resource.v1beta2.DeviceTaintRuleList": """
apiVersion s since=36
items [@resource.v1beta2.DeviceTaintRule since=36
kind s since=36
metadata @meta.v1.ListMeta since=36
""",
    "resource.v1beta2.DeviceTaintRuleSpec": """
deviceSelector @resource.v1beta2.DeviceTaintSelector since=36
taint @resource.v1beta2.DeviceTaint since=36
""",
    "resource.v1beta2.DeviceTaintRuleStatus": """
conditions {type}@meta.v1.Condition since=36
""",
    "resource.v1beta2.DeviceTaintSelector": """
device s since=36
driver s since=36
pool s since=36
""",
    "resource.v1beta2.DeviceToleration": """
effect s since=33
key s since=33
operator s since=33
tolerationSeconds n since=33
value s since=33
""",
    "resource.v1beta2.ExactDeviceRequest": """
adminAccess b since=33
allocationMode s since=33
capacity @resource.v1beta2.CapacityRequirements since=34
count n since=33
derivedAttributes [@resource.v1beta2.DeviceDerivedAttribute since=37
deviceClassName s since=33
selectors [@resource.v1beta2.DeviceSelector since=33
tolerations [@resource.v1beta2.DeviceToleration since=33
""",
    "resource.v1beta2.NetworkDeviceData": """
hardwareAddress s since=33
interfaceName s since=33
ips [s since=33
""",
    "resource.v1beta2.NodeAllocatableMapping": """
capacityKey s since=37
capacityMultiplier u since=37
deviceMultiplier u since=37
""",
    "resource.v1beta2.NodeAllocatableOverhead": """
perContainer u since=37
perPod u since=37
""",
    "resource.v1beta2.NodeAllocatableResource": """
mapping @resource.v1beta2.NodeAllocatableMapping since=37
overhead @resource.v1beta2.NodeAllocatableOverhead since=37
""",
    "resource.v1beta2.NodeAllocatableResourceMapping": """
allocationMultiplier u since=36 until=36
capacityKey s since=36 until=36
""",
    "resource.v1beta2.OpaqueDeviceConfiguration": """
driver s since=33
parameters ? since=33
""",
    "resource.v1beta2.ResourceClaim": """
apiVersion s since=33
kind s since=33
metadata @meta.v1.ObjectMeta since=33
spec @resource.v1beta2.ResourceClaimSpec since=33
status @resource.v1beta2.ResourceClaimStatus since=33
""",
    "resource.v1beta2.ResourceClaimConsumerReference": """
apiGroup s since=33
name s since=33
resource s since=33
uid s~"" since=33
""",
    "resource.v1beta2.ResourceClaimList": """
apiVersion s since=33
items [@resource.v1beta2.ResourceClaim since=33
kind s since=33
metadata @meta.v1.ListMeta since=33
""",
    "resource.v1beta2.ResourceClaimSpec": """
devices @resource.v1beta2.DeviceClaim since=33
""",
    "resource.v1beta2.ResourceClaimStatus": """
allocation @resource.v1beta2.AllocationResult since=33
devices {driver,device,pool}@resource.v1beta2.AllocatedDeviceStatus since=33 until=33
devices {driver,device,pool,shareID}@resource.v1beta2.AllocatedDeviceStatus since=34
reservedFor {uid}@resource.v1beta2.ResourceClaimConsumerReference since=33
""",
    "resource.v1beta2.ResourceClaimTemplate": """
apiVersion s since=33
kind s since=33
metadata @meta.v1.ObjectMeta since=33
spec @resource.v1beta2.ResourceClaimTemplateSpec since=33
""",
    "resource.v1beta2.ResourceClaimTemplateList": """
apiVersion s since=33
items [@resource.v1beta2.ResourceClaimTemplate since=33
kind s since=33
metadata @meta.v1.ListMeta since=33
""",
    "resource.v1beta2.ResourceClaimTemplateSpec": """
metadata @meta.v1.ObjectMeta since=33
spec @resource.v1beta2.ResourceClaimSpec since=33
""",
    "resource.v1beta2.ResourcePool": """
generation n since=33
name s since=33
resourceSliceCount n since=33
""",
    "resource.v1beta2.ResourceSlice": """
apiVersion s since=33
kind s since=33
metadata @meta.v1.ObjectMeta since=33
spec @resource.v1beta2.ResourceSliceSpec since=33
""",
    "resource.v1beta2.ResourceSliceList": """
apiVersion s since=33
items [@resource.v1beta2.ResourceSlice since=33
kind s since=33
metadata @meta.v1.ListMeta since=33
""",
    "resource.v1beta2.ResourceSliceSpec": """
allNodes b since=33
devices [@resource.v1beta2.Device since=33
driver s since=33
nodeName s since=33
nodeSelector @core.v1.NodeSelector since=33
partitionTypeAttribute s since=37
perDeviceNodeSelection b since=33
pool @resource.v1beta2.ResourcePool since=33
sharedCounters [@resource.v1beta2.CounterSet since=33
skipNodeOperations {}s since=37
""",
    "scheduling.v1.PriorityClass": """
apiVersion s
description s
globalDefault b
kind s
metadata @meta.v1.ObjectMeta
preemptionPolicy s
value n
""",
    "scheduling.v1.PriorityClassList": """
apiVersion s
items [@scheduling.v1.PriorityClass
kind s
metadata @meta.v1.ListMeta
""",
    "scheduling.v1alpha1.GangSchedulingPolicy": """
minCount n since=35 until=35
""",
    "scheduling.v1alpha1.PodGroup": """
name s~"" since=35 until=35
policy @scheduling.v1alpha1.PodGroupPolicy since=35 until=35
""",
    "scheduling.v1alpha1.PodGroupPolicy": """
basic <* since=35 until=35
gang @scheduling.v1alpha1.GangSchedulingPolicy since=35 until=35
""",
    "scheduling.v1alpha1.TypedLocalObjectReference": """
apiGroup s since=35 until=35
kind s since=35 until=35
name s since=35 until=35
""",
    "scheduling.v1alpha1.Workload": """
apiVersion s since=35 until=35
kind s since=35 until=35
metadata @meta.v1.ObjectMeta since=35 until=35
spec @scheduling.v1alpha1.WorkloadSpec since=35 until=35
""",
    "scheduling.v1alpha1.WorkloadList": """
apiVersion s since=35 until=35
items [@scheduling.v1alpha1.Workload since=35 until=35
kind s since=35 until=35
metadata @meta.v1.ListMeta since=35 until=35
""",
    "scheduling.v1alpha1.WorkloadSpec": """
controllerRef @scheduling.v1alpha1.TypedLocalObjectReference since=35 until=35
podGroups {name}@scheduling.v1alpha1.PodGroup since=35 until=35
""",
    "scheduling.v1alpha2.GangSchedulingPolicy": """
minCount n since=36 until=36
""",
    "scheduling.v1alpha2.PodGroup": """
apiVersion s since=36 until=36
kind s since=36 until=36
metadata @meta.v1.ObjectMeta since=36 until=36
spec @scheduling.v1alpha2.PodGroupSpec since=36 until=36
status @scheduling.v1alpha2.PodGroupStatus since=36 until=36
""",
    "scheduling.v1alpha2.PodGroupList": """
apiVersion s since=36 until=36
items [@scheduling.v1alpha2.PodGroup since=36 until=36
kind s since=36 until=36
metadata @meta.v1.ListMeta since=36 until=36
""",
    "scheduling.v1alpha2.PodGroupResourceClaim": """
name s~"" since=36 until=36
resourceClaimName s since=36 until=36
resourceClaimTemplateName s since=36 until=36
""",
    "scheduling.v1alpha2.PodGroupResourceClaimStatus": """
name s~"" since=36 until=36
resourceClaimName s since=36 until=36
""",
    "scheduling.v1alpha2.PodGroupSchedulingConstraints": """
topology [@scheduling.v1alpha2.TopologyConstraint since=36 until=36
""",
    "scheduling.v1alpha2.PodGroupSchedulingPolicy": """
basic <* since=36 until=36
gang @scheduling.v1alpha2.GangSchedulingPolicy since=36 until=36
""",
    "scheduling.v1alpha2.PodGroupSpec": """
disruptionMode s since=36 until=36
podGroupTemplateRef @scheduling.v1alpha2.PodGroupTemplateReference since=36 until=36
priority n since=36 until=36
priorityClassName s since=36 until=36
resourceClaims {name}@scheduling.v1alpha2.PodGroupResourceClaim since=36 until=36
schedulingConstraints @scheduling.v1alpha2.PodGroupSchedulingConstraints since=36 until=36
schedulingPolicy @scheduling.v1alpha2.PodGroupSchedulingPolicy since=36 until=36
""",
    "scheduling.v1alpha2.PodGroupStatus": """
conditions {type}@meta.v1.Condition since=36 until=36
resourceClaimStatuses {name}@scheduling.v1alpha2.PodGroupResourceClaimStatus since=36 until=36
""",
    "scheduling.v1alpha2.PodGroupTemplate": """
disruptionMode s since=36 until=36
name s~"" since=36 until=36
priority n since=36 until=36
priorityClassName s since=36 until=36
resourceClaims {name}@scheduling.v1alpha2.PodGroupResourceClaim since=36 until=36
schedulingConstraints @scheduling.v1alpha2.PodGroupSchedulingConstraints since=36 until=36
schedulingPolicy @scheduling.v1alpha2.PodGroupSchedulingPolicy since=36 until=36
""",
    "scheduling.v1alpha2.PodGroupTemplateReference": """
workload @scheduling.v1alpha2.WorkloadPodGroupTemplateReference since=36 until=36
""",
    "scheduling.v1alpha2.TopologyConstraint": """
key s since=36 until=36
""",
    "scheduling.v1alpha2.TypedLocalObjectReference": """
apiGroup s since=36 until=36
kind s since=36 until=36
name s since=36 until=36
""",
    "scheduling.v1alpha2.Workload": """
apiVersion s since=36 until=36
kind s since=36 until=36
metadata @meta.v1.ObjectMeta since=36 until=36
spec @scheduling.v1alpha2.WorkloadSpec since=36 until=36
""",
    "scheduling.v1alpha2.WorkloadList": """
apiVersion s since=36 until=36
items [@scheduling.v1alpha2.Workload since=36 until=36
kind s since=36 until=36
metadata @meta.v1.ListMeta since=36 until=36
""",
    "scheduling.v1alpha2.WorkloadPodGroupTemplateReference": """
podGroupTemplateName s since=36 until=36
workloadName s since=36 until=36
""",
    "scheduling.v1alpha2.WorkloadSpec": """
controllerRef @scheduling.v1alpha2.TypedLocalObjectReference since=36 until=36
podGroupTemplates {name}@scheduling.v1alpha2.PodGroupTemplate since=36 until=36
""",
    "scheduling.v1alpha3.CompositeDisruptionMode": """
all <* since=37
single <* since=37
""",
    "scheduling.v1alpha3.CompositeGangSchedulingPolicy": """
minGroupCount n since=37
""",
    "scheduling.v1alpha3.CompositePodGroup": """
apiVersion s since=37
kind s since=37
metadata @meta.v1.ObjectMeta since=37
spec @scheduling.v1alpha3.CompositePodGroupSpec since=37
status @scheduling.v1alpha3.CompositePodGroupStatus since=37
""",
    "scheduling.v1alpha3.CompositePodGroupList": """
apiVersion s since=37
items [@scheduling.v1alpha3.CompositePodGroup since=37
kind s since=37
metadata @meta.v1.ListMeta since=37
""",
    "scheduling.v1alpha3.CompositePodGroupSchedulingConstraints": """
topology [@scheduling.v1alpha3.TopologyConstraint since=37
""",
    "scheduling.v1alpha3.CompositePodGroupSchedulingPolicy": """
basic <* since=37
gang @scheduling.v1alpha3.CompositeGangSchedulingPolicy since=37
""",
    "scheduling.v1alpha3.CompositePodGroupSpec": """
disruptionMode @scheduling.v1alpha3.CompositeDisruptionMode since=37
parentCompositePodGroupName s since=37
preemptionPolicy s since=37
priority n since=37
priorityClassName s since=37
schedulingConstraints @scheduling.v1alpha3.CompositePodGroupSchedulingConstraints since=37
schedulingPolicy @scheduling.v1alpha3.CompositePodGroupSchedulingPolicy since=37
workloadRef @scheduling.v1alpha3.WorkloadReference since=37
""",
    "scheduling.v1alpha3.CompositePodGroupStatus": """
conditions {type}@meta.v1.Condition since=37
""",
    "scheduling.v1alpha3.CompositePodGroupTemplate": """
compositePodGroupTemplates {name}@scheduling.v1alpha3.CompositePodGroupTemplate since=37
disruptionMode @scheduling.v1alpha3.CompositeDisruptionMode since=37
name s~"" since=37
podGroupTemplates {name}@scheduling.v1alpha3.PodGroupTemplate since=37
preemptionPolicy s since=37
priority n since=37
priorityClassName s since=37
schedulingConstraints @scheduling.v1alpha3.CompositePodGroupSchedulingConstraints since=37
schedulingPolicy @scheduling.v1alpha3.CompositePodGroupSchedulingPolicy since=37
""",
    "scheduling.v1alpha3.DisruptionMode": """
all <* since=37
single <* since=37
""",
    "scheduling.v1alpha3.GangSchedulingPolicy": """
minCount n since=37
""",
    "scheduling.v1alpha3.PodGroup": """
apiVersion s since=37
kind s since=37
metadata @meta.v1.ObjectMeta since=37
spec @scheduling.v1alpha3.PodGroupSpec since=37
status @scheduling.v1alpha3.PodGroupStatus since=37
""",
    "scheduling.v1alpha3.PodGroupList": """
apiVersion s since=37
items [@scheduling.v1alpha3.PodGroup since=37
kind s since=37
metadata @meta.v1.ListMeta since=37
""",
    "scheduling.v1alpha3.PodGroupResourceClaim": """
name s~"" since=37
resourceClaimName s since=37
resourceClaimTemplateName s since=37
""",
    "scheduling.v1alpha3.PodGroupResourceClaimStatus": """
name s~"" since=37
resourceClaimName s since=37
""",
    "scheduling.v1alpha3.PodGroupSchedulingConstraints": """
topology [@scheduling.v1alpha3.TopologyConstraint since=37
""",
    "scheduling.v1alpha3.PodGroupSchedulingPolicy": """
basic <* since=37
gang @scheduling.v1alpha3.GangSchedulingPolicy since=37
""",
    "scheduling.v1alpha3.PodGroupSpec": """
disruptionMode @scheduling.v1alpha3.DisruptionMode since=37
parentCompositePodGroupName s since=37
preemptionPolicy s since=37
priority n since=37
priorityClassName s since=37
resourceClaims {name}@scheduling.v1alpha3.PodGroupResourceClaim since=37
schedulingConstraints @scheduling.v1alpha3.PodGroupSchedulingConstraints since=37
schedulingPolicy @scheduling.v1alpha3.PodGroupSchedulingPolicy since=37
workloadRef @scheduling.v1alpha3.WorkloadReference since=37
""",
    "scheduling.v1alpha3.PodGroupStatus": """
conditions {type}@meta.v1.Condition since=37
resourceClaimStatuses {name}@scheduling.v1alpha3.PodGroupResourceClaimStatus since=37
""",
    "scheduling.v1alpha3.PodGroupTemplate": """
disruptionMode @scheduling.v1alpha3.DisruptionMode since=37
name s~"" since=37
preemptionPolicy s since=37
priority n since=37
priorityClassName s since=37
resourceClaims {name}@scheduling.v1alpha3.PodGroupResourceClaim since=37
schedulingConstraints @scheduling.v1alpha3.PodGroupSchedulingConstraints since=37
schedulingPolicy @scheduling.v1alpha3.PodGroupSchedulingPolicy since=37
""",
    "scheduling.v1alpha3.TopologyConstraint": """
key s since=37
""",
    "scheduling.v1alpha3.TypedLocalObjectReference": """
apiGroup s since=37
kind s since=37
name s since=37
""",
    "scheduling.v1alpha3.Workload": """
apiVersion s since=37
kind s since=37
metadata @meta.v1.ObjectMeta since=37
spec @scheduling.v1alpha3.WorkloadSpec since=37
""",
    "scheduling.v1alpha3.WorkloadList": """
apiVersion s since=37
items [@scheduling.v1alpha3.Workload since=37
kind s since=37
metadata @meta.v1.ListMeta since=37
""",
    "scheduling.v1alpha3.WorkloadPodGroupDisruptionMode": """
all <* since=37
single <* since=37
""",
    "scheduling.v1alpha3.WorkloadPodGroupGangSchedulingPolicy": """
minCount n since=37
""",
    "scheduling.v1alpha3.WorkloadPodGroupResourceClaim": """
name s~"" since=37
resourceClaimName s since=37
resourceClaimTemplateName s since=37
""",
    "scheduling.v1alpha3.WorkloadPodGroupSchedulingConstraints": """
topology [@scheduling.v1alpha3.TopologyConstraint since=37
""",
    "scheduling.v1alpha3.WorkloadPodGroupSchedulingPolicy": """
basic <* since=37
gang @scheduling.v1alpha3.WorkloadPodGroupGangSchedulingPolicy since=37
""",
    "scheduling.v1alpha3.WorkloadReference": """
templateName s since=37
workloadName s since=37
""",
    "scheduling.v1alpha3.WorkloadSpec": """
compositePodGroupTemplates {name}@scheduling.v1alpha3.CompositePodGroupTemplate since=37
controllerRef @scheduling.v1alpha3.TypedLocalObjectReference since=37
podGroupTemplates {name}@scheduling.v1alpha3.PodGroupTemplate since=37
""",
    "scheduling.v1beta1.CompositeDisruptionMode": """
all <* since=37
single <* since=37
""",
    "scheduling.v1beta1.CompositeGangSchedulingPolicy": """
minGroupCount n since=37
""",
    "scheduling.v1beta1.CompositePodGroupSchedulingConstraints": """
topology [@scheduling.v1beta1.TopologyConstraint since=37
""",
    "scheduling.v1beta1.CompositePodGroupSchedulingPolicy": """
basic <* since=37
gang @scheduling.v1beta1.CompositeGangSchedulingPolicy since=37
""",
    "scheduling.v1beta1.CompositePodGroupTemplate": """
compositePodGroupTemplates {name}@scheduling.v1beta1.CompositePodGroupTemplate since=37
disruptionMode @scheduling.v1beta1.CompositeDisruptionMode since=37
name s~"" since=37
podGroupTemplates {name}@scheduling.v1beta1.PodGroupTemplate since=37
preemptionPolicy s since=37
priority n since=37
priorityClassName s since=37
schedulingConstraints @scheduling.v1beta1.CompositePodGroupSchedulingConstraints since=37
schedulingPolicy @scheduling.v1beta1.CompositePodGroupSchedulingPolicy since=37
""",
    "scheduling.v1beta1.DisruptionMode": """
all <* since=37
single <* since=37
""",
    "scheduling.v1beta1.GangSchedulingPolicy": """
minCount n since=37
""",
    "scheduling.v1beta1.PodGroup": """
apiVersion s since=37
kind s since=37
metadata @meta.v1.ObjectMeta since=37
spec @scheduling.v1beta1.PodGroupSpec since=37
status @scheduling.v1beta1.PodGroupStatus since=37
""",
    "scheduling.v1beta1.PodGroupList": """
apiVersion s since=37
items [@scheduling.v1beta1.PodGroup since=37
kind s since=37
metadata @meta.v1.ListMeta since=37
""",
    "scheduling.v1beta1.PodGroupResourceClaim": """
name s~"" since=37
resourceClaimName s since=37
resourceClaimTemplateName s since=37
""",
    "scheduling.v1beta1.PodGroupResourceClaimStatus": """
name s~"" since=37
resourceClaimName s since=37
""",
    "scheduling.v1beta1.PodGroupSchedulingConstraints": """
topology [@scheduling.v1beta1.TopologyConstraint since=37
""",
    "scheduling.v1beta1.PodGroupSchedulingPolicy": """
basic <* since=37
gang @scheduling.v1beta1.GangSchedulingPolicy since=37
""",
    "scheduling.v1beta1.PodGroupSpec": """
disruptionMode @scheduling.v1beta1.DisruptionMode since=37
parentCompositePodGroupName s since=37
preemptionPolicy s since=37
priority n since=37
priorityClassName s since=37
resourceClaims {name}@scheduling.v1beta1.PodGroupResourceClaim since=37
schedulingConstraints @scheduling.v1beta1.PodGroupSchedulingConstraints since=37
schedulingPolicy @scheduling.v1beta1.PodGroupSchedulingPolicy since=37
workloadRef @scheduling.v1beta1.WorkloadReference since=37
""",
    "scheduling.v1beta1.PodGroupStatus": """
conditions {type}@meta.v1.Condition since=37
resourceClaimStatuses {name}@scheduling.v1beta1.PodGroupResourceClaimStatus since=37
""",
    "scheduling.v1beta1.PodGroupTemplate": """
disruptionMode @scheduling.v1beta1.DisruptionMode since=37
name s~"" since=37
preemptionPolicy s since=37
priority n since=37
priorityClassName s since=37
resourceClaims {name}@scheduling.v1beta1.PodGroupResourceClaim since=37
schedulingConstraints @scheduling.v1beta1.PodGroupSchedulingConstraints since=37
schedulingPolicy @scheduling.v1beta1.PodGroupSchedulingPolicy since=37
""",
    "scheduling.v1beta1.TopologyConstraint": """
key s since=37
""",
    "scheduling.v1beta1.TypedLocalObjectReference": """
apiGroup s since=37
kind s since=37
name s since=37
""",
    "scheduling.v1beta1.Workload": """
apiVersion s since=37
kind s since=37
metadata @meta.v1.ObjectMeta since=37
spec @scheduling.v1beta1.WorkloadSpec since=37
""",
    "scheduling.v1beta1.WorkloadList": """
apiVersion s since=37
items [@scheduling.v1beta1.Workload since=37
kind s since=37
metadata @meta.v1.ListMeta since=37
""",
    "scheduling.v1beta1.WorkloadReference": """
templateName s since=37
workloadName s since=37
""",
    "scheduling.v1beta1.WorkloadSpec": """
compositePodGroupTemplates {name}@scheduling.v1beta1.CompositePodGroupTemplate since=37
controllerRef @scheduling.v1beta1.TypedLocalObjectReference since=37
podGroupTemplates {name}@scheduling.v1beta1.PodGroupTemplate since=37
""",
    "storage.v1.CSIDriver": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @storage.v1.CSIDriverSpec
""",
    "storage.v1.CSIDriverList": """
apiVersion s
items [@storage.v1.CSIDriver
kind s
metadata @meta.v1.ListMeta
""",
    "storage.v1.CSIDriverSpec": """
attachRequired b
fsGroupPolicy s
nodeAllocatableUpdatePeriodSeconds n since=33
podInfoOnMount b
preventPodSchedulingIfMissing b since=36
requiresRepublish b
seLinuxMount b
serviceAccountTokenInSecrets b since=35
storageCapacity b
tokenRequests [@storage.v1.TokenRequest
volumeLifecycleModes {}s
""",
    "storage.v1.CSINode": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @storage.v1.CSINodeSpec
status @storage.v1.CSINodeStatus since=37
""",
    "storage.v1.CSINodeDriver": """
allocatable @storage.v1.VolumeNodeResources
name s~""
nodeID s
topologyKeys [s
""",
    "storage.v1.CSINodeList": """
apiVersion s
items [@storage.v1.CSINode
kind s
metadata @meta.v1.ListMeta
""",
    "storage.v1.CSINodeSpec": """
drivers {name}@storage.v1.CSINodeDriver
""",
    "storage.v1.CSINodeStatus": """
storageHealth {name}@storage.v1.StorageHealth since=37
""",
    "storage.v1.CSIStorageCapacity": """
apiVersion s
capacity u
kind s
maximumVolumeSize u
metadata @meta.v1.ObjectMeta
nodeTopology @meta.v1.LabelSelector
storageClassName s
""",
    "storage.v1.CSIStorageCapacityList": """
apiVersion s
items {name}@storage.v1.CSIStorageCapacity until=29
items [@storage.v1.CSIStorageCapacity since=30
kind s
metadata @meta.v1.ListMeta
""",
    "storage.v1.StorageClass": """
allowVolumeExpansion b
allowedTopologies [@core.v1.TopologySelectorTerm
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
mountOptions [s
parameters <s
provisioner s
reclaimPolicy s
volumeBindingMode s
""",
    "storage.v1.StorageClassList": """
apiVersion s
items [@storage.v1.StorageClass
kind s
metadata @meta.v1.ListMeta
""",
    "storage.v1.StorageHealth": """
healthConditions [@storage.v1.StorageHealthCondition since=37
name s~"" since=37
""",
    "storage.v1.StorageHealthCondition": """
accessMode s since=37
lastTransitionTime u since=37
message s since=37
reason s since=37
status s since=37
volumeMode s since=37
""",
    "storage.v1.TokenRequest": """
audience s
expirationSeconds n
""",
    "storage.v1.VolumeAttachment": """
apiVersion s
kind s
metadata @meta.v1.ObjectMeta
spec @storage.v1.VolumeAttachmentSpec
status @storage.v1.VolumeAttachmentStatus
""",
    "storage.v1.VolumeAttachmentList": """
apiVersion s
items [@storage.v1.VolumeAttachment
kind s
metadata @meta.v1.ListMeta
""",
    "storage.v1.VolumeAttachmentSource": """
inlineVolumeSpec @core.v1.PersistentVolumeSpec
persistentVolumeName s
""",
    "storage.v1.VolumeAttachmentSpec": """
attacher s
nodeName s
source @storage.v1.VolumeAttachmentSource
""",
    "storage.v1.VolumeAttachmentStatus": """
attachError @storage.v1.VolumeError
attached b
attachmentMetadata <s
detachError @storage.v1.VolumeError
""",
    "storage.v1.VolumeAttributesClass": """
apiVersion s since=34
driverName s since=34
kind s since=34
metadata @meta.v1.ObjectMeta since=34
parameters <s since=34
""",
    "storage.v1.VolumeAttributesClassList": """
apiVersion s since=34
items [@storage.v1.VolumeAttributesClass since=34
kind s since=34
metadata @meta.v1.ListMeta since=34
""",
    "storage.v1.VolumeError": """
errorCode n since=33
message s
time u
""",
    "storage.v1.VolumeNodeResources": """
count n
""",
    "storage.v1alpha1.VolumeAttributesClass": """
apiVersion s since=29 until=34
driverName s since=29 until=34
kind s since=29 until=34
metadata @meta.v1.ObjectMeta since=29 until=34
parameters <s since=29 until=34
""",
    "storage.v1alpha1.VolumeAttributesClassList": """
apiVersion s since=29 until=34
items [@storage.v1alpha1.VolumeAttributesClass since=29 until=34
kind s since=29 until=34
metadata @meta.v1.ListMeta since=29 until=34
""",
    "storage.v1beta1.VolumeAttributesClass": """
apiVersion s since=31 until=36
driverName s since=31 until=36
kind s since=31 until=36
metadata @meta.v1.ObjectMeta since=31 until=36
parameters <s since=31 until=36
""",
    "storage.v1beta1.VolumeAttributesClassList": """
apiVersion s since=31 until=36
items [@storage.v1beta1.VolumeAttributesClass since=31 until=36
kind s since=31 until=36
metadata @meta.v1.ListMeta since=31 until=36
""",
    "storagemigration.v1.StorageVersionMigration": """
apiVersion s since=37
kind s since=37
metadata @meta.v1.ObjectMeta since=37
spec @storagemigration.v1.StorageVersionMigrationSpec since=37
status @storagemigration.v1.StorageVersionMigrationStatus since=37
""",
    "storagemigration.v1.StorageVersionMigrationList": """
apiVersion s since=37
items [@storagemigration.v1.StorageVersionMigration since=37
kind s since=37
metadata @meta.v1.ListMeta since=37
""",
    "storagemigration.v1.StorageVersionMigrationSpec": """
resource @meta.v1.GroupResource since=37
""",
    "storagemigration.v1.StorageVersionMigrationStatus": """
conditions {type}@meta.v1.Condition since=37
resourceVersion s since=37
""",
    "storagemigration.v1alpha1.GroupVersionResource": """
group s since=30 until=34
resource s since=30 until=34
version s since=30 until=34
""",
    "storagemigration.v1alpha1.MigrationCondition": """
lastUpdateTime u since=30 until=34
message s since=30 until=34
reason s since=30 until=34
status s since=30 until=34
type s~"" since=30 until=34
""",
    "storagemigration.v1alpha1.StorageVersionMigration": """
apiVersion s since=30 until=34
kind s since=30 until=34
metadata @meta.v1.ObjectMeta since=30 until=34
spec @storagemigration.v1alpha1.StorageVersionMigrationSpec since=30 until=34
status @storagemigration.v1alpha1.StorageVersionMigrationStatus since=30 until=34
""",
    "storagemigration.v1alpha1.StorageVersionMigrationList": """
apiVersion s since=30 until=34
items {type}@storagemigration.v1alpha1.StorageVersionMigration since=30 until=34
kind s since=30 until=34
metadata @meta.v1.ListMeta since=30 until=34
""",
    "storagemigration.v1alpha1.StorageVersionMigrationSpec": """
continueToken s since=30 until=34
resource @storagemigration.v1alpha1.GroupVersionResource since=30 until=34
""",
    "storagemigration.v1alpha1.StorageVersionMigrationStatus": """
conditions {type}@storagemigration.v1alpha1.MigrationCondition since=30 until=34
resourceVersion s since=30 until=34
""",
    "storagemigration.v1beta1.StorageVersionMigration": """
apiVersion s since=35
kind s since=35
metadata @meta.v1.ObjectMeta since=35
spec @storagemigration.v1beta1.StorageVersionMigrationSpec since=35
status @storagemigration.v1beta1.StorageVersionMigrationStatus since=35
""",
    "storagemigration.v1beta1.StorageVersionMigrationList": """
apiVersion s since=35
items [@storagemigration.v1beta1.StorageVersionMigration since=35
kind s since=35
metadata @meta.v1.ListMeta since=35
""",
    "storagemigration.v1beta1.StorageVersionMigrationSpec": """
resource @meta.v1.GroupResource since=35
""",
    "storagemigration.v1beta1.StorageVersionMigrationStatus": """
conditions {type}@meta.v1.Condition since=35
resourceVersion s since=35
""",
    "version.Info": """
buildDate s
compiler s
emulationMajor s since=33
emulationMinor s since=33
gitCommit s
gitTreeState s
gitVersion s
goVersion s
major s
minCompatibilityMajor s since=33
minCompatibilityMinor s since=33
minor s
platform s
""",
}

# An API version, a kind, and its type.
KINDS = """
admissionregistration.k8s.io/v1 MutatingAdmissionPolicy admissionregistration.v1.MutatingAdmissionPolicy since=36
admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding admissionregistration.v1.MutatingAdmissionPolicyBinding since=36
admissionregistration.k8s.io/v1 MutatingWebhookConfiguration admissionregistration.v1.MutatingWebhookConfiguration
admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy admissionregistration.v1.ValidatingAdmissionPolicy since=30
admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding admissionregistration.v1.ValidatingAdmissionPolicyBinding since=30
admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration admissionregistration.v1.ValidatingWebhookConfiguration
admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicy admissionregistration.v1alpha1.MutatingAdmissionPolicy since=32
admissionregistration.k8s.io/v1alpha1 MutatingAdmissionPolicyBinding admissionregistration.v1alpha1.MutatingAdmissionPolicyBinding since=32
admissionregistration.k8s.io/v1alpha1 ValidatingAdmissionPolicy admissionregistration.v1alpha1.ValidatingAdmissionPolicy until=31
admissionregistration.k8s.io/v1alpha1 ValidatingAdmissionPolicyBinding admissionregistration.v1alpha1.ValidatingAdmissionPolicyBinding until=31
admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicy admissionregistration.v1beta1.MutatingAdmissionPolicy since=34
admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicyBinding admissionregistration.v1beta1.MutatingAdmissionPolicyBinding since=34
admissionregistration.k8s.io/v1beta1 ValidatingAdmissionPolicy admissionregistration.v1beta1.ValidatingAdmissionPolicy until=33
admissionregistration.k8s.io/v1beta1 ValidatingAdmissionPolicyBinding admissionregistration.v1beta1.ValidatingAdmissionPolicyBinding until=33
apiextensions.k8s.io/v1 CustomResourceDefinition apiextensions.v1.CustomResourceDefinition
apiregistration.k8s.io/v1 APIService apiregistration.v1.APIService
apps/v1 ControllerRevision apps.v1.ControllerRevision
apps/v1 DaemonSet apps.v1.DaemonSet
apps/v1 Deployment apps.v1.Deployment
apps/v1 ReplicaSet apps.v1.ReplicaSet
apps/v1 StatefulSet apps.v1.StatefulSet
authentication.k8s.io/v1 SelfSubjectReview authentication.v1.SelfSubjectReview
authentication.k8s.io/v1 TokenRequest authentication.v1.TokenRequest
authentication.k8s.io/v1 TokenReview authentication.v1.TokenReview
authentication.k8s.io/v1alpha1 SelfSubjectReview authentication.v1alpha1.SelfSubjectReview until=31
authentication.k8s.io/v1beta1 SelfSubjectReview authentication.v1beta1.SelfSubjectReview until=32
authorization.k8s.io/v1 LocalSubjectAccessReview authorization.v1.LocalSubjectAccessReview
authorization.k8s.io/v1 SelfSubjectAccessReview authorization.v1.SelfSubjectAccessReview
authorization.k8s.io/v1 SelfSubjectRulesReview authorization.v1.SelfSubjectRulesReview
authorization.k8s.io/v1 SubjectAccessReview authorization.v1.SubjectAccessReview
autoscaling/v1 HorizontalPodAutoscaler autoscaling.v1.HorizontalPodAutoscaler
autoscaling/v1 Scale autoscaling.v1.Scale
autoscaling/v2 HorizontalPodAutoscaler autoscaling.v2.HorizontalPodAutoscaler
batch/v1 CronJob batch.v1.CronJob
batch/v1 Job batch.v1.Job
certificates.k8s.io/v1 CertificateSigningRequest certificates.v1.CertificateSigningRequest
certificates.k8s.io/v1 ClusterTrustBundle certificates.v1.ClusterTrustBundle since=37
certificates.k8s.io/v1 PodCertificateRequest certificates.v1.PodCertificateRequest since=37
certificates.k8s.io/v1alpha1 ClusterTrustBundle certificates.v1alpha1.ClusterTrustBundle until=36
certificates.k8s.io/v1alpha1 PodCertificateRequest certificates.v1alpha1.PodCertificateRequest since=34 until=34
certificates.k8s.io/v1beta1 ClusterTrustBundle certificates.v1beta1.ClusterTrustBundle since=33
certificates.k8s.io/v1beta1 PodCertificateRequest certificates.v1beta1.PodCertificateRequest since=35
coordination.k8s.io/v1 Lease coordination.v1.Lease
coordination.k8s.io/v1alpha1 LeaseCandidate coordination.v1alpha1.LeaseCandidate since=31 until=31
coordination.k8s.io/v1alpha2 LeaseCandidate coordination.v1alpha2.LeaseCandidate since=32
coordination.k8s.io/v1beta1 LeaseCandidate coordination.v1beta1.LeaseCandidate since=33
discovery.k8s.io/v1 EndpointSlice discovery.v1.EndpointSlice
events.k8s.io/v1 Event events.v1.Event
flowcontrol.apiserver.k8s.io/v1 FlowSchema flowcontrol.v1.FlowSchema since=29
flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration flowcontrol.v1.PriorityLevelConfiguration since=29
flowcontrol.apiserver.k8s.io/v1beta2 FlowSchema flowcontrol.v1beta2.FlowSchema until=28
flowcontrol.apiserver.k8s.io/v1beta2 PriorityLevelConfiguration flowcontrol.v1beta2.PriorityLevelConfiguration until=28
flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema flowcontrol.v1beta3.FlowSchema until=31
flowcontrol.apiserver.k8s.io/v1beta3 PriorityLevelConfiguration flowcontrol.v1beta3.PriorityLevelConfiguration until=31
internal.apiserver.k8s.io/v1alpha1 StorageVersion apiserverinternal.v1alpha1.StorageVersion
lifecycle.k8s.io/v1alpha1 Eviction lifecycle.v1alpha1.Eviction since=37
lifecycle.k8s.io/v1alpha1 EvictionRequest lifecycle.v1alpha1.EvictionRequest since=37
networking.k8s.io/v1 IPAddress networking.v1.IPAddress since=33
networking.k8s.io/v1 Ingress networking.v1.Ingress
networking.k8s.io/v1 IngressClass networking.v1.IngressClass
networking.k8s.io/v1 NetworkPolicy networking.v1.NetworkPolicy
networking.k8s.io/v1 ServiceCIDR networking.v1.ServiceCIDR since=33
networking.k8s.io/v1alpha1 ClusterCIDR networking.v1alpha1.ClusterCIDR until=28
networking.k8s.io/v1alpha1 IPAddress networking.v1alpha1.IPAddress until=30
networking.k8s.io/v1alpha1 ServiceCIDR networking.v1alpha1.ServiceCIDR since=29 until=30
networking.k8s.io/v1beta1 IPAddress networking.v1beta1.IPAddress since=31 until=36
networking.k8s.io/v1beta1 ServiceCIDR networking.v1beta1.ServiceCIDR since=31 until=36
node.k8s.io/v1 RuntimeClass node.v1.RuntimeClass
policy/v1 Eviction policy.v1.Eviction
policy/v1 PodDisruptionBudget policy.v1.PodDisruptionBudget
rbac.authorization.k8s.io/v1 ClusterRole rbac.v1.ClusterRole
rbac.authorization.k8s.io/v1 ClusterRoleBinding rbac.v1.ClusterRoleBinding
rbac.authorization.k8s.io/v1 Role rbac.v1.Role
rbac.authorization.k8s.io/v1 RoleBinding rbac.v1.RoleBinding
resource.k8s.io/v1 DeviceClass resource.v1.DeviceClass since=34
resource.k8s.io/v1 DeviceTaintRule resource.v1.DeviceTaintRule since=37
resource.k8s.io/v1 ResourceClaim resource.v1.ResourceClaim since=34
resource.k8s.io/v1 ResourceClaimTemplate resource.v1.ResourceClaimTemplate since=34
resource.k8s.io/v1 ResourceSlice resource.v1.ResourceSlice since=34
resource.k8s.io/v1alpha2 PodSchedulingContext resource.v1alpha2.PodSchedulingContext until=30
resource.k8s.io/v1alpha2 ResourceClaim resource.v1alpha2.ResourceClaim until=30
resource.k8s.io/v1alpha2 ResourceClaimParameters resource.v1alpha2.ResourceClaimParameters since=30 until=30
resource.k8s.io/v1alpha2 ResourceClaimTemplate resource.v1alpha2.ResourceClaimTemplate until=30
resource.k8s.io/v1alpha2 ResourceClass resource.v1alpha2.ResourceClass until=30
resource.k8s.io/v1alpha2 ResourceClassParameters resource.v1alpha2.ResourceClassParameters since=30 until=30
resource.k8s.io/v1alpha2 ResourceSlice resource.v1alpha2.ResourceSlice since=30 until=30
resource.k8s.io/v1alpha3 DeviceClass resource.v1alpha3.DeviceClass since=31 until=33
resource.k8s.io/v1alpha3 DeviceTaintRule resource.v1alpha3.DeviceTaintRule since=33
resource.k8s.io/v1alpha3 PodSchedulingContext resource.v1alpha3.PodSchedulingContext since=31 until=31
resource.k8s.io/v1alpha3 ResourceClaim resource.v1alpha3.ResourceClaim since=31 until=33
resource.k8s.io/v1alpha3 ResourceClaimTemplate resource.v1alpha3.ResourceClaimTemplate since=31 until=33
resource.k8s.io/v1alpha3 ResourcePoolStatusRequest resource.v1alpha3.ResourcePoolStatusRequest since=36
resource.k8s.io/v1alpha3 ResourceSlice resource.v1alpha3.ResourceSlice since=31 until=33
resource.k8s.io/v1beta1 DeviceClass resource.v1beta1.DeviceClass since=32
resource.k8s.io/v1beta1 ResourceClaim resource.v1beta1.ResourceClaim since=32
resource.k8s.io/v1beta1 ResourceClaimTemplate resource.v1beta1.ResourceClaimTemplate since=32
resource.k8s.io/v1beta1 ResourceSlice resource.v1beta1.ResourceSlice since=32
resource.k8s.io/v1beta2 DeviceClass resource.v1beta2.DeviceClass since=33
resource.k8s.io/v1beta2 DeviceTaintRule resource.v1beta2.DeviceTaintRule since=36
resource.k8s.io/v1beta2 ResourceClaim resource.v1beta2.ResourceClaim since=33
resource.k8s.io/v1beta2 ResourceClaimTemplate resource.v1beta2.ResourceClaimTemplate since=33
resource.k8s.io/v1beta2 ResourceSlice resource.v1beta2.ResourceSlice since=33
scheduling.k8s.io/v1 PriorityClass scheduling.v1.PriorityClass
scheduling.k8s.io/v1alpha1 Workload scheduling.v1alpha1.Workload since=35 until=35
scheduling.k8s.io/v1alpha2 PodGroup scheduling.v1alpha2.PodGroup since=36 until=36
scheduling.k8s.io/v1alpha2 Workload scheduling.v1alpha2.Workload since=36 until=36
scheduling.k8s.io/v1alpha3 CompositePodGroup scheduling.v1alpha3.CompositePodGroup since=37
scheduling.k8s.io/v1alpha3 PodGroup scheduling.v1alpha3.PodGroup since=37
scheduling.k8s.io/v1alpha3 Workload scheduling.v1alpha3.Workload since=37
scheduling.k8s.io/v1beta1 PodGroup scheduling.v1beta1.PodGroup since=37
scheduling.k8s.io/v1beta1 Workload scheduling.v1beta1.Workload since=37
storage.k8s.io/v1 CSIDriver storage.v1.CSIDriver
storage.k8s.io/v1 CSINode storage.v1.CSINode
storage.k8s.io/v1 CSIStorageCapacity storage.v1.CSIStorageCapacity
storage.k8s.io/v1 StorageClass storage.v1.StorageClass
storage.k8s.io/v1 VolumeAttachment storage.v1.VolumeAttachment
storage.k8s.io/v1 VolumeAttributesClass storage.v1.VolumeAttributesClass since=34
storage.k8s.io/v1alpha1 VolumeAttributesClass storage.v1alpha1.VolumeAttributesClass since=29 until=34
storage.k8s.io/v1beta1 VolumeAttributesClass storage.v1beta1.VolumeAttributesClass since=31 until=36
storagemigration.k8s.io/v1 StorageVersionMigration storagemigration.v1.StorageVersionMigration since=37
storagemigration.k8s.io/v1alpha1 StorageVersionMigration storagemigration.v1alpha1.StorageVersionMigration since=30 until=34
storagemigration.k8s.io/v1beta1 StorageVersionMigration storagemigration.v1beta1.StorageVersionMigration since=35
v1 Binding core.v1.Binding
v1 ComponentStatus core.v1.ComponentStatus
v1 ConfigMap core.v1.ConfigMap
v1 Endpoints core.v1.Endpoints
v1 Event core.v1.Event
v1 LimitRange core.v1.LimitRange
v1 Namespace core.v1.Namespace
v1 Node core.v1.Node
v1 PersistentVolume core.v1.PersistentVolume
v1 PersistentVolumeClaim core.v1.PersistentVolumeClaim
v1 Pod core.v1.Pod
v1 PodTemplate core.v1.PodTemplate
v1 ReplicationController core.v1.ReplicationController
v1 ResourceQuota core.v1.ResourceQuota
v1 Secret core.v1.Secret
v1 Service core.v1.Service
v1 ServiceAccount core.v1.ServiceAccount
"""
