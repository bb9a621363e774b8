{{- define "podgraft.name" -}}
{{- if contains "podgraft" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}{{ printf "%s-podgraft" (.Release.Name | trunc 41 | trimSuffix "-") }}
{{- end }}
{{- end }}

{{- define "podgraft.selector" -}}
app.kubernetes.io/name: podgraft
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "podgraft.labels" -}}
{{ include "podgraft.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "podgraft.image" -}}
{{- $repository := required "image.repository: is missing; build an image with podgraft init --kind container" .Values.image.repository }}
{{- if .Values.image.digest }}{{ printf "%s@%s" $repository .Values.image.digest }}
{{- else }}{{ printf "%s:%s" $repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{- define "podgraft.tlsSecret" -}}
{{- if or .Values.tls.certManager.enabled .Values.tls.certificate }}{{ printf "%s-tls" (include "podgraft.name" .) }}
{{- else }}{{ required "tls.secret: is missing; name a Secret with tls.crt and tls.key, or set tls.certManager.enabled" .Values.tls.secret }}
{{- end }}
{{- end }}

{{- /* The sources of the volume with the store. All files change at once. */ -}}
{{- define "podgraft.storeSources" -}}
{{- $name := include "podgraft.name" . }}
{{- range $injector, $content := .Values.injectors }}
- configMap:
    name: {{ $name }}-{{ $injector }}
    items:
    {{- if hasKey $content "policy" }}
    - {key: policy.yaml, path: {{ $injector }}/policy.yaml}
    {{- end }}
    {{- range $file, $_ := $content.bundle }}
    - {key: {{ $file }}, path: {{ $injector }}/bundle/{{ $file }}}
    {{- end }}
{{- end }}
{{- if .Values.census.volume }}
- secret:
    name: {{ required "census.keySecret: is missing; name a Secret with the key of each injector, from podgraft policy census on" .Values.census.keySecret }}
    items:
    {{- range $injector, $_ := .Values.injectors }}
    - {key: {{ $injector }}, path: {{ $injector }}/census.key, mode: 0440}
    {{- end }}
{{- end }}
{{- if or .Values.callers .Values.webhook.token }}
- secret:
    name: {{ $name }}-callers
    items:
    {{- range $cluster, $_ := .Values.callers }}
    - {key: {{ $cluster }}.yaml, path: auth/{{ $cluster }}.yaml}
    {{- end }}
    {{- if .Values.webhook.token }}
    - {key: {{ .Values.webhook.cluster }}.yaml, path: auth/{{ .Values.webhook.cluster }}.yaml}
    {{- end }}
{{- end }}
{{- if .Values.callersSecret.name }}
- secret:
    name: {{ .Values.callersSecret.name }}
    items:
    {{- range .Values.callersSecret.clusters }}
    - {key: {{ . }}.yaml, path: auth/{{ . }}.yaml}
    {{- end }}
{{- end }}
{{- end }}
