#!/usr/bin/env bash
# Installs Kafka 4.1.0, Redis, versitygw, Caddy, promtool, a browser and the Compose file loader without a container engine;
# Helm as well when it is named.
# Safe to run again: what is there is kept.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
home=${SWITCHBOARD_BACKINGS:-$HOME/.cache/switchboard-backings}
kafka_version=4.1.0
versitygw_version=v1.8.0
compose_go_version=v2.16.2
helm_version=v3.22.0
mkdir -p "$home/bin"
need() { command -v "$1" >/dev/null || { echo "install.sh: $1 is missing; $2" >&2; exit 1; }; }

kafka() {
  local libs="$home/kafka-$kafka_version"
  cmp --silent "$here/kafka/pom.xml" "$libs/.complete" && return
  need java "install a Java 17 or newer runtime (Debian: apt-get install openjdk-17-jre-headless)"
  need mvn "install Maven (Debian: apt-get install maven)"
  rm -rf "$libs" && mkdir -p "$libs"
  mvn --quiet --batch-mode --file "$here/kafka/pom.xml" \
    org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
    -DincludeScope=runtime -DoutputDirectory="$libs"
  cp "$here/kafka/pom.xml" "$libs/.complete"
}

# from_go <name> <version> <package> <Go>: builds a program, once a version.
from_go() {
  local target="$home/bin/$1-$2" build="$home/bin/.build-$1"
  if [ ! -x "$target" ]; then
    need go "install Go $4 or newer"
    GOBIN="$build" go install "$3@$2"
    mv "$build/${3##*/}" "$target"
  fi
  ln -sf "$target" "$home/bin/$1"
}

s3() { from_go versitygw "$versitygw_version" github.com/versity/versitygw/cmd/versitygw 1.24; }
# The loader that Docker Compose itself uses: says whether a Compose file is right, and what it comes to.
compose() { from_go compose-spec "$compose_go_version" github.com/compose-spec/compose-go/v2/cmd 1.24; }
# Renders the chart of deploy/kubernetes. Only where it is asked for: building it takes three minutes of CPU time.
helm() { from_go helm "$helm_version" helm.sh/helm/v3/cmd/helm 1.26; }

# debian <package...>
debian() {
  need apt-get "install $* by your system's means"
  local sudo=""
  [ "$(id -u)" = 0 ] || sudo="sudo"
  $sudo apt-get update -qq || true
  # A package may start a service where there is an init system; these tests run their own.
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

redis() { command -v redis-server >/dev/null || debian redis-server; }
caddy() { command -v caddy >/dev/null || debian caddy; }
# Checks the rules and expressions of deploy/observability.
promtool() { command -v promtool >/dev/null || debian prometheus; }
browser() { [ -x /usr/bin/chromium ] || debian chromium; }
# One after the other: Debian's installer takes a lock.
from_debian() { redis && caddy && promtool && browser; }

wanted=("$@")
[ ${#wanted[@]} -gt 0 ] || wanted=(kafka s3 compose from_debian)
# Side by side: Maven waits for the network while Go compiles.
pids=()
for one in "${wanted[@]}"; do
  case "$one" in kafka | redis | s3 | compose | helm | caddy | promtool | browser | from_debian) "$one" & pids+=($!) ;; *) echo "install.sh: unknown backing $one" >&2; exit 2 ;; esac
done
for pid in "${pids[@]}"; do wait "$pid"; done
echo "Backings are in $home"
