#!/usr/bin/env bash
# A container engine for e2e/compose. Uses the machine's own if `docker compose` reaches one; otherwise sets up Podman
# behind Docker's interface, with stand-ins for the base images made of distribution, npm, Maven and Go packages.
#   engine.sh up      starts it and prints environment variables:  eval "$(deploy/backings/engine.sh up)"
#   engine.sh down    stops it and removes its containers; ENGINE_HOME keeps programs, images and volumes
#   engine.sh check   fails if this machine cannot run containers
# Setup needs Debian 12, root, Node with npm, and the requirements of install.sh for the programs below.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
backings=${SWITCHBOARD_BACKINGS:-$HOME/.cache/switchboard-backings}
home=${ENGINE_HOME:-$backings/engine}
source "$here/engine/podman.sh"

fail() { echo "engine.sh: $*" >&2; exit 1; }

own_engine() {
  docker version --format '{{.Server.Version}}' >/dev/null 2>&1 && docker compose version >/dev/null 2>&1
}

# Sandboxes deny root the permissions that containers need. Checked before an installation that takes minutes.
needs_namespaces() {
  local said
  said=$(unshare --mount --pid --net --ipc --uts --fork --mount-proc mount -t tmpfs tmpfs /tmp 2>&1) ||
    fail "this machine runs no containers, because it refuses namespaces or mounts: $said"
}

programs=(podman buildah runc mmdebstrap iptables)
helpers=(/usr/lib/podman/netavark /usr/lib/podman/aardvark-dns /usr/libexec/podman/catatonit)

missing() {
  local one
  for one in "${programs[@]}"; do type -P "$one" >/dev/null || echo "$one"; done
  for one in "${helpers[@]}"; do [ -x "$one" ] || echo "${one##*/}"; done
}

install_podman() {
  local absent
  [ -n "$(missing)" ] || return 0
  type -P apt-get >/dev/null || fail "install Docker with Compose 2.24 or newer"
  apt-get update -qq >&2 || echo "engine.sh: apt-get update failed; using the existing package lists" >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    podman buildah runc netavark aardvark-dns catatonit mmdebstrap iptables >&2
  absent=$(missing)
  [ -z "$absent" ] || fail "not installed: ${absent//$'\n'/ }"
}

# Compose finds its plugin below DOCKER_CONFIG. Where there is no `docker` command, a script takes its place.
link_compose() {
  ln -sf "$backings/bin/docker-compose" "$home/docker/cli-plugins/docker-compose"
  [ -f "$home/docker/config.json" ] || echo '{}' >"$home/docker/config.json"
  if type -P docker >/dev/null && [ "$(type -P docker)" != "$home/bin/docker" ]; then
    rm -f "$home/bin/docker"
  else
    install -m 755 "$here/engine/docker.sh" "$home/bin/docker"
  fi
}

start() {
  setsid podman system service --time=0 "$DOCKER_HOST" >"$home/service.log" 2>&1 </dev/null &
  echo $! >"$home/service.pid"
  setsid "$here/engine/health.sh" "$home" >"$home/health.log" 2>&1 </dev/null &
  echo $! >"$home/health.pid"
  local tries=0
  until docker version --format '{{.Server.Version}}' >/dev/null 2>&1; do
    [ $((tries += 1)) -le 50 ] || fail "Podman does not answer: $(tail -n 20 "$home/service.log")"
    sleep 0.2
  done
}

stop() {
  local file pid
  for file in "$home"/*.pid; do
    [ -f "$file" ] || continue
    pid=$(<"$file")
    # After a restart of the machine, another process may have this id.
    ! grep --quiet --fixed-strings "$home" "/proc/$pid/cmdline" 2>/dev/null || kill "$pid"
    rm -f "$file"
  done
  rm -f "$home/podman.sock"
}

up() {
  if own_engine; then
    echo "# docker compose reaches the engine of this machine"
    return
  fi
  [ "$(id -u)" = 0 ] || fail "setting up an engine needs root; or start Docker with Compose 2.24 or newer"
  needs_namespaces
  mkdir -p "$home/bin" "$home/docker/cli-plugins" "$home/networks"
  stop
  install_podman
  "$here/install.sh" kafka s3 clickhouse docker-compose caddy >&2
  configure_podman "$home"
  export_podman "$home"
  link_compose
  "$here/engine/images.sh" "$home" "$backings" >&2
  start
  print_podman "$home"
}

# Containers outlive the service of Podman: each has a process of its own, and rules in the machine's packet filter.
remove_containers() {
  local tries=0
  [ -f "$home/containers.conf" ] && type -P podman >/dev/null || return 0
  (
    export_podman "$home"
    # On busy cores the kernel may end a container later than Podman waits.
    until podman rm --all --force --volumes --time 10 >/dev/null; do [ $((tries += 1)) -le 5 ]; done
    podman network prune --force >/dev/null
  )
  while pgrep --full "^[^ ]*conmon .*$home" >/dev/null && [ $((tries += 1)) -le 50 ]; do sleep 0.2; done
  flush_rules
}

# Removes the chains that netavark leaves empty, unless another Podman of this machine has containers.
flush_rules() {
  local table chain rule
  type -P iptables >/dev/null || return 0
  for table in nat filter; do
    ! iptables -t "$table" -S 2>/dev/null | grep --quiet -E '^-A NETAVARK-(DN-)?[0-9A-F]{13} ' || return 0
  done
  for table in nat filter; do
    iptables -t "$table" -S 2>/dev/null | sed -n '/^-A NETAVARK/!s/^-A \(.*NETAVARK.*\)/\1/p' | while read -r rule; do
      eval "iptables -t $table -D $rule"
    done
    for chain in $(iptables -t "$table" -S 2>/dev/null | sed -n 's/^-N \(NETAVARK.*\)/\1/p'); do
      iptables -t "$table" -F "$chain"
    done
    for chain in $(iptables -t "$table" -S 2>/dev/null | sed -n 's/^-N \(NETAVARK.*\)/\1/p'); do
      iptables -t "$table" -X "$chain"
    done
  done
}

case ${1:-} in
  up) up ;;
  down) stop; remove_containers ;;
  check) own_engine || needs_namespaces ;;
  *) echo "Usage: engine.sh up|down|check" >&2; exit 2 ;;
esac
