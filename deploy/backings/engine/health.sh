#!/usr/bin/env bash
# health.sh <folder>: runs the health checks of containers, each at its interval, where there are no timers of systemd.
set -uo pipefail
source "$(dirname "$0")/podman.sh"
export_podman "$1"
checks='{{if .Config.Healthcheck}}{{.Id}} {{printf "%d" .Config.Healthcheck.Interval}}{{end}}'
declare -A due running
while sleep 1; do
  now=$(date +%s)
  while read -r id interval; do
    [ "$now" -ge "${due[$id]:-0}" ] || continue
    kill -0 "${running[$id]:-none}" 2>/dev/null && continue
    due[$id]=$((now + interval / 1000000000))
    podman healthcheck run "$id" >/dev/null 2>&1 &
    running[$id]=$!
  done < <(podman ps --quiet | xargs -r podman inspect --format "$checks" 2>/dev/null | grep .)
done
