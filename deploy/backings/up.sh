#!/usr/bin/env bash
# Starts Kafka, Redis, an S3 server and ClickHouse for tests, waits until they answer, and prints environment variables.
#   up.sh [kafka] [redis] [s3] [clickhouse]      all by default
#   eval "$(deploy/backings/up.sh)"; ...; deploy/backings/down.sh
# Ports: KAFKA_PORT, REDIS_PORT, S3_PORT, CLICKHOUSE_PORT, by default free ones. Folder: BACKINGS_DIR, by default a temporary one.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
home=${SWITCHBOARD_BACKINGS:-$HOME/.cache/switchboard-backings}
dir=${BACKINGS_DIR:-$(mktemp -d "${TMPDIR:-/tmp}/switchboard-backings.XXXXXX")}
mkdir -p "$dir"
env_file=$dir/env
: >"$env_file"

. "$here/processes.sh"
# If a program does not start, stops those that were started.
trap 'code=$?; [ "$code" = 0 ] || BACKINGS_DIR=$dir "$here/down.sh" >&2; exit "$code"' EXIT

export_variable() { echo "export $1=$2" >>"$env_file"; }

kafka() {
  local port=${KAFKA_PORT:-$(free_port)}
  start kafka "$here/kafka/run.sh" "$dir/kafka" "$port" "$(free_port)"
  await kafka 240 grep -q "Kafka Server started" "$dir/kafka.log"
  export_variable KAFKA_BROKERS "127.0.0.1:$port"
}

redis() {
  local port=${REDIS_PORT:-$(free_port)}
  mkdir -p "$dir/redis"
  start redis redis-server --bind 127.0.0.1 --port "$port" --dir "$dir/redis" --save "" --appendonly no
  await redis 60 redis-cli -p "$port" ping
  export_variable REDIS_URL "redis://127.0.0.1:$port"
}

s3() {
  local port=${S3_PORT:-$(free_port)}
  # versitygw stores a bucket as a folder.
  mkdir -p "$dir/s3/switchboard"
  start s3 "$home/bin/versitygw" --access switchboard --secret switchboard-secret --region eu-central-1 \
    --port "127.0.0.1:$port" --health /health posix "$dir/s3"
  await s3 60 curl --silent --fail "http://127.0.0.1:$port/health"
  export_variable S3_ENDPOINT "http://127.0.0.1:$port"
  export_variable S3_ACCESS_KEY switchboard
  export_variable S3_SECRET_KEY switchboard-secret
  export_variable S3_BUCKET switchboard
  export_variable S3_REGION eu-central-1
}

clickhouse() {
  local port=${CLICKHOUSE_PORT:-$(free_port)}
  start clickhouse "$home/clickhouse/bin/python" "$here/clickhouse/server.py" --folder "$dir/clickhouse" --port "$port" \
    --user switchboard --password switchboard-secret
  await clickhouse 120 curl --silent --fail "http://127.0.0.1:$port/ping"
  export_variable CLICKHOUSE_URL "http://switchboard:switchboard-secret@127.0.0.1:$port/default"
}

wanted=("$@")
[ ${#wanted[@]} -gt 0 ] || wanted=(kafka redis s3 clickhouse)
for one in "${wanted[@]}"; do
  case "$one" in kafka | redis | s3 | clickhouse) "$one" ;; *) echo "up.sh: unknown backing $one" >&2; exit 2 ;; esac
done
export_variable BACKINGS_DIR "$dir"
cat "$env_file"
