{{/* The name of all objects. With its suffix of ten characters, it must fit into a label. */}}
{{- define "proxywatch.fullname" -}}
{{- $default := .Release.Name -}}
{{- if not (contains .Chart.Name .Release.Name) -}}
{{- $default = printf "%s-%s" .Release.Name .Chart.Name -}}
{{- end -}}
{{- .Values.fullnameOverride | default $default | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{/* The labels that select the pods. Kubernetes does not allow changes of them. The job of Prometheus is the name. */}}
{{- define "proxywatch.selectorLabels" -}}
app.kubernetes.io/name: proxywatch
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{/* The labels of all objects. */}}
{{- define "proxywatch.labels" -}}
{{ include "proxywatch.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* Labels as YAML, with more labels of the values, which cannot replace them: list TEXT MORE. */}}
{{- define "proxywatch.withMore" -}}
{{- merge (index . 0 | fromYaml) (index . 1 | default dict) | toYaml -}}
{{- end -}}

{{- define "proxywatch.serviceAccountName" -}}
{{- $default := ternary (include "proxywatch.fullname" .) "default" .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default $default -}}
{{- end -}}

{{- define "proxywatch.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}
