#!/bin/bash
# Writes KAFKA_A_B=x as a.b=x to server.properties, as the official image does, and starts the broker.
set -euo pipefail
file=/opt/kafka/config/server.properties
env | sed -n 's/^KAFKA_\([A-Z0-9_]*\)=/\1 /p' | while read -r name value; do
  case "$name" in HEAP_OPTS | OPTS | JVM_* | LOG4J_* | GC_*) continue ;; esac
  printf '%s=%s\n' "$(printf %s "$name" | tr 'A-Z_' 'a-z.')" "$value"
done >"$file"
grep -q '^log\.dirs=' "$file" || echo 'log.dirs=/tmp/kafka-logs' >>"$file"
log=org.slf4j.simpleLogger
java=(java ${KAFKA_HEAP_OPTS:--Xmx1G} -cp '/opt/kafka/libs/*' "-D$log.defaultLogLevel=warn"
  "-D$log.log.kafka.server.KafkaRaftServer=info" "-D$log.logFile=System.out")
"${java[@]}" kafka.tools.StorageTool format --ignore-formatted \
  --cluster-id "${CLUSTER_ID:-5L6g3nShT-eMCtK--X86sw}" --config "$file" >/dev/null
exec "${java[@]}" kafka.Kafka "$file"
