#!/usr/bin/env bash
# health.sh <folder>: runs the health checks of containers, where there are no timers of systemd: every two seconds until
# a container is healthy, then every 30. Each costs a third of a second of CPU, so a file's own intervals would take a
# core, and few run at once.
set -uo pipefail
source "$(dirname "$0")/podman.sh"
export_podman "$1"
at_once=4
declare -A due
while sleep 1; do
  now=$(date +%s)
  while read -r id _ status; do
    case "$status" in
      *"(healthy)") every=30 ;;
      *"("*")") every=2 ;;
      *) continue ;;
    esac
    # A container that became unhealthy is not left alone for 30 seconds.
    [ "$every" = 30 ] || [ "${due[$id]:-0}" -le $((now + 2)) ] || due[$id]=0
    [ "$now" -ge "${due[$id]:-0}" ] || continue
    [ "$(jobs -rp | wc -l)" -lt "$at_once" ] || continue
    due[$id]=$((now + every))
    podman healthcheck run "$id" >/dev/null 2>&1 &
  done < <(podman ps --format '{{.ID}} {{.Status}}' 2>/dev/null)
done
