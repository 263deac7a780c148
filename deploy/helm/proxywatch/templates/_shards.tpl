{{/* The number of shards. Helm passes it as a number or as a text. */}}
{{- define "proxywatch.shards" -}}
{{- .Values.shards | toString | int -}}
{{- end -}}

{{/* The number of pods: all shards, or fewer to stop them. */}}
{{- define "proxywatch.replicas" -}}
{{- $shards := include "proxywatch.shards" . | int -}}
{{- $replicas := kindIs "invalid" .Values.replicas | ternary $shards (.Values.replicas | toString | int) -}}
{{- if gt $replicas $shards -}}
{{- fail (printf "replicas=%d is higher than shards=%d. Two pods must not run the same account. To run more pods, set shards." $replicas $shards) -}}
{{- end -}}
{{- $replicas -}}
{{- end -}}

{{/*
The number of shards of the pods that run, or 0 if none run or if Helm does not read the cluster. A single daemon has no
number.
*/}}
{{- define "proxywatch.runningShards" -}}
{{- $set := lookup "apps/v1" "StatefulSet" .Release.Namespace (include "proxywatch.fullname" .) | default dict -}}
{{- $running := 0 -}}
{{- if dig "status" "replicas" 0 $set | toString | int -}}
{{- $running = 1 -}}
{{- range dig "spec" "template" "spec" "containers" list $set -}}
{{- range .env -}}
{{- if eq .name "PROXYWATCH_SHARD" -}}
{{- $running = .value | splitList "/" | last | int -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $running -}}
{{- end -}}

{{/* Fails if pods with the old and with the new number of shards would run together. */}}
{{- define "proxywatch.checkShards" -}}
{{- $shards := include "proxywatch.shards" . | int -}}
{{- $running := include "proxywatch.runningShards" . | int -}}
{{- if and $running (ne $running $shards) (include "proxywatch.replicas" . | int) -}}
{{- fail (printf "Pods with shards=%d run now, and the new value is shards=%d. Two pods must not run the same account. First upgrade with replicas=0 and shards=%d, and wait until the pods have ended." $running $shards $running) -}}
{{- end -}}
{{- end -}}

{{/* The environment variables that give each pod the number of its shard. A single daemon needs none. */}}
{{- define "proxywatch.shardEnv" -}}
{{- $shards := include "proxywatch.shards" . | int -}}
{{- if gt $shards 1 -}}
# Kubernetes 1.28 and newer set this label to the number of the pod, from 0.
- name: POD_INDEX
  valueFrom:
    fieldRef:
      fieldPath: metadata.labels['apps.kubernetes.io/pod-index']
- name: PROXYWATCH_SHARD
  value: $(POD_INDEX)/{{ $shards }}
{{- end -}}
{{- end -}}

{{/* With several shards, one node that fails should stop only one of them. */}}
{{- define "proxywatch.affinity" -}}
{{- if .Values.affinity -}}
{{- toYaml .Values.affinity -}}
{{- else if gt (include "proxywatch.shards" . | int) 1 -}}
podAntiAffinity:
  preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      podAffinityTerm:
        topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "proxywatch.selectorLabels" . | nindent 12 }}
{{- end -}}
{{- end -}}
