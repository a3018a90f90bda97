{{/* Names of the services that have settings, in their order. */}}
{{- define "switchboard.services" -}}
{{- range list "catalogue" "collaboration" "messenger" "flags" "ingestion" "archive" }}
{{- if (index $.Values .).enabled }}{{ . }} {{ end }}
{{- end }}
{{- end }}

{{/*
What is deployed, as JSON: of each enabled service its processes, with names. A process that answers HTTP is named like
its service.
*/}}
{{- define "switchboard.processes" -}}
{{- $found := list }}
{{- range $service := splitList " " (include "switchboard.services" . | trim) | compact }}
{{- $of := index $.Values $service }}
{{- range $key, $process := $of.processes }}
{{- if $process.enabled }}
{{- $roles := $process.roles | default $key }}
{{- $http := has "http" (splitList "," $roles) }}
{{- $name := $http | ternary $service (printf "%s-%s" $service $key) }}
{{- $found = append $found (dict "service" $service "process" $key "roles" $roles "http" $http "name" (printf "%s%s" $.Values.namePrefix $name)) }}
{{- end }}
{{- end }}
{{- end }}
{{- toJson $found }}
{{- end }}

{{/* Labels that never change, by which pods are found. Context: component, process, root. */}}
{{- define "switchboard.selector" -}}
app.kubernetes.io/name: switchboard
app.kubernetes.io/instance: {{ printf "%s%s" .root.Values.namePrefix "switchboard" }}
app.kubernetes.io/component: {{ .component }}
switchboard-process: {{ .process }}
{{- end }}

{{- define "switchboard.labels" -}}
{{ include "switchboard.selector" . }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{/* Context: image, root. */}}
{{- define "switchboard.image" -}}
{{- $registry := .root.Values.image.registry }}
{{- $repository := $registry | empty | ternary .image.repository (printf "%s/%s" (trimSuffix "/" $registry) .image.repository) }}
{{- if .image.digest }}{{ printf "%s@%s" $repository .image.digest }}
{{- else }}{{ printf "%s:%s" $repository (.image.tag | default .root.Values.image.tag | default .root.Chart.AppVersion) }}
{{- end }}
{{- end }}

{{/* A number of a values file is a float, which would be written as 1.34e+08. */}}
{{- define "switchboard.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) }}{{ int64 . }}{{ else }}{{ . }}{{ end }}
{{- end }}

{{- define "switchboard.container-security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* What all pods have in common. Context: pod, labels (those that pods are found by), account, root. */}}
{{- define "switchboard.pod" -}}
serviceAccountName: {{ .account }}
automountServiceAccountToken: false
# A Service named flags would set FLAGS_PORT and its like in every container.
enableServiceLinks: false
terminationGracePeriodSeconds: {{ .pod.terminationGracePeriodSeconds }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .pod.topologyKeys }}
topologySpreadConstraints:
  {{- range . }}
  - topologyKey: {{ . }}
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    # The pods of one version alone: those of the old one are about to leave.
    matchLabelKeys: [pod-template-hash]
    labelSelector:
      matchLabels: {{- $.labels | nindent 8 }}
  {{- end }}
{{- end }}
{{- with .pod.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .pod.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .pod.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .pod.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}
