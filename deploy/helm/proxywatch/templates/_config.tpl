{{/* Fails if the configuration contradicts the address, the port or the volume of the pod. */}}
{{- define "proxywatch.checkConfig" -}}
{{- $listen := dig "server" "listen" "" .Values.config -}}
{{- if and $listen (not (hasSuffix ":9876" $listen)) -}}
{{- fail (printf "config.server.listen is %s, but the probes, the Service and the NetworkPolicy use port 9876. Remove the setting, or use port 9876." $listen) -}}
{{- end -}}
{{- if regexMatch "^(127\\.|localhost:|\\[::1\\])" $listen -}}
{{- fail (printf "config.server.listen is %s, which neither the probes nor Prometheus can reach. Remove the setting, or use 0.0.0.0:9876." $listen) -}}
{{- end -}}
{{- $path := dig "store" "path" "" .Values.config -}}
{{- if and $path (not (hasPrefix "/data/" $path)) -}}
{{- fail (printf "config.store.path is %s, but only /data is on the volume of the shard. Remove the setting, or use a path in /data." $path) -}}
{{- end -}}
{{- end -}}
