{{/* Names of the enabled services, in order, and the link between regions. */}}
{{- define "switchboard.services" -}}
{{- range list "catalogue" "collaboration" "messenger" "flags" "ingestion" "archive" "analytics" "identity" "delivery" "console" "directory-link" }}
{{- if (index $.Values .).enabled }}{{ . }} {{ end }}
{{- end }}
{{- end }}

{{/*
The processes of each enabled service, as JSON, with their names. A process that serves HTTP has the name of its
service; `spread` is the number of pods its projects are spread over, 0 if each serves all.
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
{{- $spread := $http | ternary (index $.Values.spread $service | default 0) 0 }}
{{- $found = append $found (dict "service" $service "process" $key "roles" $roles "http" $http "spread" $spread "name" (printf "%s%s" $.Values.namePrefix $name)) }}
{{- end }}
{{- end }}
{{- end }}
{{- toJson $found }}
{{- end }}

{{/* Immutable labels for selectors. Context: component, process, root. */}}
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

{{/* The labels of pods: those of the values beside the chart's own. Context: pod, and what labels need. */}}
{{- define "switchboard.pod-labels" -}}
{{ merge (include "switchboard.labels" . | fromYaml) .pod.labels | toYaml }}
{{- end }}

{{/* The account of a service or of the gateway. Context: name, account (its values), and what labels need. */}}
{{- define "switchboard.account" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .name }}
  labels: {{- include "switchboard.labels" . | nindent 4 }}
  {{- with .account.annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
# Nothing here calls the Kubernetes API.
automountServiceAccountToken: false
{{- end }}

{{/* IP families of a Service. */}}
{{- define "switchboard.ip" -}}
{{- with .Values.ip.familyPolicy }}
ipFamilyPolicy: {{ . }}
{{- end }}
{{- with .Values.ip.families }}
ipFamilies: {{ toJson . }}
{{- end }}
{{- end }}

{{/* Context: image, root. */}}
{{- define "switchboard.image" -}}
{{- $registry := .root.Values.image.registry }}
{{- $repository := $registry | empty | ternary .image.repository (printf "%s/%s" (trimSuffix "/" $registry) .image.repository) }}
{{- if .image.digest }}{{ printf "%s@%s" $repository .image.digest }}
{{- else }}{{ printf "%s:%s" $repository (.image.tag | default .root.Values.image.tag | default .root.Chart.AppVersion) }}
{{- end }}
{{- end }}

{{/* Numbers in values are floats, which would be rendered as 1.34e+08. */}}
{{- define "switchboard.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) }}{{ int64 . }}{{ else }}{{ . }}{{ end }}
{{- end }}

{{- define "switchboard.container-security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* The common part of all pods. Context: pod, labels (the selector), account, root. */}}
{{- define "switchboard.pod" -}}
serviceAccountName: {{ .account }}
automountServiceAccountToken: false
# Otherwise a Service named flags sets FLAGS_PORT and similar variables in every container.
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
    # Counts the pods of one version only; those of the previous one are about to stop.
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
{{- with .pod.initContainers }}
initContainers: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/*
The number of pods. With an autoscaler it stays what it is: without a number, Kubernetes takes 1 in the upgrade that turns
autoscaling on. Context: name, process (or the gateway), root.
*/}}
{{- define "switchboard.replicas" -}}
{{- if not .process.autoscaling.enabled }}
replicas: {{ .process.replicas }}
{{- else }}
{{- with lookup "apps/v1" "Deployment" .root.Release.Namespace .name }}
replicas: {{ .spec.replicas }}
{{- end }}
{{- end }}
{{- end }}
