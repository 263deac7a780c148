{{/* The content of a pod. */}}
{{- define "proxywatch.pod" -}}
serviceAccountName: {{ include "proxywatch.serviceAccountName" . | quote }}
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: 15
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .Values.podSecurityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
containers:
  - {{ include "proxywatch.container" . | indent 4 | trim }}
volumes:
  {{- include "proxywatch.volumes" . | nindent 2 }}
{{- with include "proxywatch.affinity" . }}
affinity:
  {{- . | nindent 2 }}
{{- end }}
{{- range $name := list "nodeSelector" "tolerations" "topologySpreadConstraints" }}
{{- with index $.Values $name }}
{{ $name }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The one container of a pod. */}}
{{- define "proxywatch.container" -}}
name: proxywatch
image: {{ include "proxywatch.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- $env := include "proxywatch.shardEnv" . }}
{{- if or $env .Values.extraEnv }}
env:
  {{- with $env }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- with .Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
ports:
  - name: http
    containerPort: 9876
# During a long first poll, or with a full disk, the daemon is healthy but not ready, because a restart does not help.
{{- range $name := list "livenessProbe" "readinessProbe" "resources" "securityContext" }}
{{- with index $.Values $name }}
{{ $name }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
volumeMounts:
  - {name: data, mountPath: /data}
  - {name: tmp, mountPath: /tmp}
  - {name: config, mountPath: /etc/proxywatch, readOnly: true}
  {{- if .Values.existingSecret }}
  - {name: keys, mountPath: /run/secrets/proxywatch, readOnly: true}
  {{- end }}
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "proxywatch.volumes" -}}
- name: tmp
  emptyDir: {}
- name: config
  configMap:
    name: {{ include "proxywatch.fullname" . }}-config
{{- with .Values.existingSecret }}
- name: keys
  secret:
    secretName: {{ . | quote }}
    defaultMode: 0440
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}
