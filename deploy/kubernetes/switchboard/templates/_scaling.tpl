{{/* A quantity of CPUs, such as 250m or 1.5, in thousandths. */}}
{{- define "switchboard.millicores" -}}
{{- $text := toString . }}
{{- if hasSuffix "m" $text }}{{ trimSuffix "m" $text | int }}{{ else }}{{ mulf (float64 $text) 1000 | int }}{{ end }}
{{- end }}

{{/*
A process that serves requests uses one CPU per worker before it is busy, whatever it requests. A share of a small request
would add pods while the first is idle. Context: name, process.
*/}}
{{- define "switchboard.refuse-early-scaling" -}}
{{- $requests := .process.resources.requests | default dict }}
{{- $cpu := required (printf "%s: autoscaling needs resources.requests.cpu" .name) $requests.cpu }}
{{- $percent := .process.autoscaling.cpuPercent | int }}
{{- $at := div (mul (include "switchboard.millicores" $cpu | int) $percent) 100 | int }}
{{- if lt $at (mul 500 (.process.workers | default 1) | int) }}
{{- fail (printf "%s: autoscaling at %d%% of requests.cpu %v adds pods at %dm, though a process can use a whole CPU: request one for each worker" .name $percent $cpu $at) }}
{{- end }}
{{- end }}

{{/*
Scales a consumer by the records that its group has yet to read. KEDA makes a HorizontalPodAutoscaler of it.
Context: what (an entry of switchboard.processes), of (values of its service), process, root.
*/}}
{{- define "switchboard.scaled-object" -}}
{{- $scaling := .process.autoscaling }}
{{- $env := merge (dict) (.process.env | default dict) .of.env .root.Values.env }}
{{- $group := required (printf "%s: autoscaling.lag needs consumerGroup, the consumer group of its pods" .what.name) .process.consumerGroup }}
{{- if and (empty $env.KAFKA_BROKERS) (not (has "KAFKA_BROKERS" .of.fromSecret)) }}{{ fail (printf "%s: autoscaling.lag needs Kafka" .what.name) }}{{ end }}
{{- $labels := dict "component" .what.service "process" .what.process "root" .root }}
{{- $authentication := .root.Values.keda.authentication }}
{{- $hasUser := or (not (empty $env.KAFKA_USERNAME)) (has "KAFKA_USERNAME" .of.fromSecret) }}
{{- $isOwn := and (empty $authentication) $hasUser }}
{{- if $isOwn }}
{{- $authentication = .what.name }}
apiVersion: keda.sh/v1alpha1
kind: TriggerAuthentication
metadata:
  name: {{ .what.name }}
  labels: {{- include "switchboard.labels" $labels | nindent 4 }}
spec:
  # The broker user of the service itself.
  env:
    - { parameter: username, name: KAFKA_USERNAME, containerName: {{ .what.service }} }
    - { parameter: password, name: KAFKA_PASSWORD, containerName: {{ .what.service }} }
---
{{- end }}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: {{ .what.name }}
  labels: {{- include "switchboard.labels" $labels | nindent 4 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ .what.name }}, envSourceContainerName: {{ .what.service }} }
  minReplicaCount: {{ $scaling.minReplicas }}
  maxReplicaCount: {{ $scaling.maxReplicas }}
  advanced:
    horizontalPodAutoscalerConfig:
      behavior:
        # Every change of the number of pods moves partitions between them.
        scaleDown: { stabilizationWindowSeconds: 600 }
  triggers:
    - type: kafka
      metadata:
        bootstrapServersFromEnv: KAFKA_BROKERS
        # Without a topic, the lag of all topics of the group.
        consumerGroup: {{ $group }}
        lagThreshold: {{ include "switchboard.text" $scaling.lag | quote }}
        tls: {{ eq (toString $env.KAFKA_TLS) "true" | ternary "enable" "disable" }}
        {{- if $authentication }}
        sasl: {{ $env.KAFKA_SASL_MECHANISM | default "scram-sha-512" | replace "-sha-" "_sha" | replace "plain" "plaintext" }}
        {{- end }}
      {{- with $authentication }}
      authenticationRef: { name: {{ . }} }
      {{- end }}
{{- end }}
