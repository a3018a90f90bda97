{{/*
The environment of a process. Settings are checked against files/settings.json, which is generated from the schemas of
the services. Context: what (an entry of switchboard.processes), root.
*/}}
{{- define "switchboard.env" -}}
{{- $values := .root.Values }}
{{- $service := .what.service }}
{{- $of := index $values $service }}
{{- $process := index $of.processes .what.process }}
{{- $all := .root.Files.Get "files/settings.json" | fromJson }}
{{- $known := index $all $service }}
{{- $identity := $of.webIdentity | default dict }}
{{- $must := $of.fromSecret | default list }}
{{- /* The identity of the pod takes the place of keys. */}}
{{- if $identity.enabled }}
{{- if not (hasKey $known "AWS_ROLE_ARN") }}{{ fail (printf "%s has no object store: leave webIdentity out" $service) }}{{ end }}
{{- $known = omit $known "S3_ACCESS_KEY" "S3_SECRET_KEY" }}
{{- $must = without $must "S3_ACCESS_KEY" "S3_SECRET_KEY" }}
{{- end }}
{{- include "switchboard.refuse-unknown" (dict "env" $values.env "all" $all) }}

{{- $env := dict }}
{{- range $name, $value := $values.env }}
{{- if or (hasKey $known $name) (regexMatch "^(OTEL|NODE)_" $name) }}{{ $_ := set $env $name $value }}{{ end }}
{{- end }}
{{- range $given := list $of.env ($process.env | default dict) }}
{{- range $name, $value := $given }}
{{- if not (or (hasKey $known $name) (regexMatch "^(OTEL|NODE)_" $name)) }}
{{- fail (printf "%s has no setting %s: docs/reference/settings.md lists what it has; other variables go into %s.extraEnv" $service $name $service) }}
{{- end }}
{{- $_ := set $env $name $value }}
{{- end }}
{{- end }}
{{- /* Services treat an empty variable as unset. */}}
{{- range $name, $value := $env }}
{{- if or (kindIs "invalid" $value) (eq (toString $value) "") }}{{ $env = omit $env $name }}{{ end }}
{{- end }}
{{- range $name, $value := $env }}
{{- if has $name (list "PORT" "HOST" "ROLES" "WORKERS" "AWS_WEB_IDENTITY_TOKEN_FILE" "AWS_ROLE_ARN") }}{{ fail (printf "%s is set by the chart: leave it out of env" $name) }}{{ end }}
{{- if (index $known $name | default dict).secret }}
{{- fail (printf "%s is a secret: put it into the Secret that %s.existingSecret names, not into values" $name $service) }}
{{- end }}
{{- end }}

{{- if and (eq $service "console") $values.operatorPages }}
{{- $urls := dict }}
{{- range $one := include "switchboard.processes" .root | fromJsonArray }}
{{- if and $one.http (not (has $one.service (list "console" "directory-link"))) }}{{ $_ := set $urls $one.service (printf "http://%s:3000" $one.name) }}{{ end }}
{{- end }}
{{- /* A release of the console alone has them in its env. */}}
{{- if and $urls (empty (index $env "MANAGEMENT_URLS")) }}{{ $_ := set $env "MANAGEMENT_URLS" (toJson $urls) }}{{ end }}
{{- end }}

{{- range $name := $must }}
{{- if not (hasKey $known $name) }}{{ fail (printf "%s.fromSecret: %s has no setting %s" $service $service $name) }}{{ end }}
{{- end }}
{{- range $name, $setting := $known }}
{{- if and $setting.required (not (has $name $must)) }}
{{- if $setting.secret }}{{ $must = append $must $name }}
{{- else if empty (index $env $name) }}{{ fail (printf "%s needs %s: set it in env or in %s.env" $service $name $service) }}
{{- end }}
{{- end }}
{{- end }}
{{- /* If one is set, the other must be in the Secret. */}}
{{- range $name, $secret := dict "KAFKA_USERNAME" "KAFKA_PASSWORD" "HOME_KAFKA_USERNAME" "HOME_KAFKA_PASSWORD" "S3_ENDPOINT" "S3_SECRET_KEY" "AI_BASE_URL" "AI_API_KEY" "HELP_SITE_URL" "HELP_SITE_TOKEN" "VAPID_PUBLIC_KEY" "VAPID_PRIVATE_KEY" }}
{{- if and (hasKey $env $name) (hasKey $known $secret) (not (has $secret $must)) }}{{ $must = append $must $secret }}{{ end }}
{{- end }}
{{- range $of := list "" "HOME_" }}
{{- $brokers := printf "%sKAFKA_BROKERS" $of }}
{{- $database := printf "%sEVENT_LOG_DATABASE_URL" $of }}
{{- if and (hasKey $known $brokers) (empty (index $env $brokers)) (not (has $brokers $must)) (not (has $database $must)) }}
{{- fail (printf "%s needs the event log: set %s in env, or add %s to %s.fromSecret" $service $brokers $database $service) }}
{{- end }}
{{- end }}
{{- if and (hasKey $known "TOPIC_REPLICATION") (not (has "EVENT_LOG_DATABASE_URL" $must)) (empty (index $env "TOPIC_REPLICATION")) }}
{{- fail (printf "%s needs TOPIC_REPLICATION in env: 3 on three Kafka brokers or more, 1 if the loss of a broker may lose records" $service) }}
{{- end }}
{{- if and (eq $service "collaboration") (empty (index $env "MAIL_DIR")) (not (has "SMTP_URL" $must)) }}
{{- fail "collaboration needs a mail server: add SMTP_URL to collaboration.fromSecret" }}
{{- end }}

{{- if hasKey $known "ROLES" }}
- name: ROLES
  value: {{ .what.roles | quote }}
{{- end }}
{{- if and .what.http (hasKey $known "WORKERS") }}
- name: WORKERS
  value: {{ include "switchboard.text" ($process.workers | default 1) | quote }}
{{- end }}
{{- if $identity.enabled }}
- name: AWS_WEB_IDENTITY_TOKEN_FILE
  value: /var/run/secrets/identity/token
{{- with $identity.roleArn }}
- name: AWS_ROLE_ARN
  value: {{ . | quote }}
{{- end }}
{{- end }}
{{- range $name, $value := $env }}
{{- if not (has $name $must) }}
- name: {{ $name }}
  value: {{ include "switchboard.text" $value | quote }}
{{- end }}
{{- end }}
{{- $secret := required (printf "%s.existingSecret: name the Secret with its settings" $service) $of.existingSecret }}
{{- range $name, $setting := $known }}
{{- if or $setting.secret (has $name $must) }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef: { name: {{ $secret }}, key: {{ $name }}, optional: {{ not (has $name $must) }} }
{{- end }}
{{- end }}
{{- with $of.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "switchboard.refuse-unknown" -}}
{{- range $name, $value := .env }}
{{- $isKnown := regexMatch "^(OTEL|NODE)_" $name }}
{{- range $service, $known := $.all }}{{ if hasKey $known $name }}{{ $isKnown = true }}{{ end }}{{ end }}
{{- if not $isKnown }}{{ fail (printf "env: no service has a setting %s; docs/reference/settings.md lists them" $name) }}{{ end }}
{{- end }}
{{- end }}

{{/* The port on which a process receives mail. Empty if it receives none. Context: what, root. */}}
{{- define "switchboard.mail-port" -}}
{{- $of := index .root.Values .what.service }}
{{- $process := index $of.processes .what.process }}
{{- $env := mergeOverwrite (deepCopy ($of.env | default dict)) ($process.env | default dict) }}
{{- $env.SUPPORT_MAIL_PORT | default "" }}
{{- end }}
