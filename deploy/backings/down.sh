#!/usr/bin/env bash
# Stops the programs that up.sh started in BACKINGS_DIR (or the given folder), and deletes the folder.
set -euo pipefail
dir=${1:-${BACKINGS_DIR:?set BACKINGS_DIR to what up.sh printed}}
[ -f "$dir/env" ] || { echo "down.sh: $dir was not created by up.sh" >&2; exit 1; }
for file in "$dir"/*.pid; do
  [ -f "$file" ] || continue
  pid=$(cat "$file")
  kill -CONT "$pid" 2>/dev/null || true
  kill "$pid" 2>/dev/null || continue
  for _ in $(seq 50); do
    kill -0 "$pid" 2>/dev/null || continue 2
    sleep 0.1
  done
  kill -KILL "$pid" 2>/dev/null || true
done
rm -rf "$dir"
