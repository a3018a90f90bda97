#!/usr/bin/env bash
# run.sh <folder> <port> <controller port>: runs one Kafka broker in the foreground, with its data in the folder.
# KAFKA_PROPERTIES: a file of additional properties, which take precedence. KAFKA_SCRAM: users to create,
# one a line.
# KAFKA_HEAP_MB: the heap, by default 512. KAFKA_JAVA_FLAGS: further flags for Java.
# Ends in exec, so that signals reach the broker.
set -euo pipefail
folder=$1 port=$2 controller_port=$3
libs=${KAFKA_LIBS:-${SWITCHBOARD_BACKINGS:-$HOME/.cache/switchboard-backings}/kafka-4.1.0}
[ -f "$libs/.complete" ] || { echo "no Kafka in $libs: run deploy/backings/install.sh kafka" >&2; exit 1; }

mkdir -p "$folder"
cat >"$folder/server.properties" <<PROPERTIES
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$controller_port
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller_port
advertised.listeners=PLAINTEXT://127.0.0.1:$port
controller.listener.names=CONTROLLER
log.dirs=$folder/data
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
# Tests do not wait for more group members, nor six seconds for a lost one.
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=500
# A killed broker can rejoin at once.
broker.heartbeat.interval.ms=200
broker.session.timeout.ms=1500
log.cleaner.dedupe.buffer.size=16777216
PROPERTIES
if [ -n "${KAFKA_PROPERTIES:-}" ]; then cat "$KAFKA_PROPERTIES" >>"$folder/server.properties"; fi

# Logs warnings, and "Kafka Server started", which up.sh waits for.
log=org.slf4j.simpleLogger
# install.sh stores the classes of a broker: read from there, they take a third of the CPU time of a start.
[ ! -f "$libs/classes.jsa" ] || KAFKA_JAVA_FLAGS="-XX:SharedArchiveFile=$libs/classes.jsa ${KAFKA_JAVA_FLAGS:-}"
java=(java ${KAFKA_JAVA_FLAGS:-} "-Xmx${KAFKA_HEAP_MB:-512}m" -Xms256m -XX:+UseSerialGC -cp "$libs/*"
  "-D$log.defaultLogLevel=warn" "-D$log.log.kafka.server.KafkaRaftServer=info")
if [ ! -f "$folder/data/meta.properties" ]; then
  users=()
  while read -r user; do [ -z "$user" ] || users+=(--add-scram "$user"); done <<<"${KAFKA_SCRAM:-}"
  "${java[@]}" kafka.tools.StorageTool format --cluster-id MkU3OEVBNTcwNTJENDM2Qk \
    --config "$folder/server.properties" "${users[@]}" >/dev/null
fi
exec "${java[@]}" kafka.Kafka "$folder/server.properties"
