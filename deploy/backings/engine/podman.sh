# Sourced: settings of Podman and Buildah for machines without systemd, with cgroups of version 1 or 2, and with few
# capabilities. Storage and networks are below the given folder, apart from those of the machine.

# limit <kind> <at most>: the hard limit of this shell, or the second number if that is lower.
limit() {
  local hard
  hard=$(ulimit -H "$1")
  [ "$hard" != unlimited ] && [ "$hard" -lt "$2" ] || hard=$2
  echo "$hard:$hard"
}

# configure_podman <folder>
configure_podman() {
  cat >"$1/containers.conf" <<END
[containers]
# Podman asks for more than the hard limits that a container of CI may have. Soft and hard alike, because Podman 4.3
# exchanges the two when a container is created through Docker's interface.
default_ulimits = ["nofile=$(limit -n 65536)", "nproc=$(limit -u 32768)"]
# aardvark-dns 1.4 loses queries for A and AAAA that are sent side by side, and each costs ten seconds.
dns_options = ["single-request"]
log_driver = "k8s-file"

[engine]
# crun needs cgroups of one version only.
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
# Short names mean local images; there is no registry to ask.
compat_api_enforce_docker_hub = false

[network]
network_backend = "netavark"
network_config_dir = "$1/networks"
END
  cat >"$1/storage.conf" <<END
[storage]
driver = "overlay"
graphroot = "$1/storage"
runroot = "$1/run"
END
  cat >"$1/registries.conf" <<END
unqualified-search-registries = []
short-name-mode = "permissive"
END
}

# export_podman <folder>
export_podman() {
  export CONTAINERS_CONF=$1/containers.conf CONTAINERS_STORAGE_CONF=$1/storage.conf
  export CONTAINERS_REGISTRIES_CONF=$1/registries.conf
  export DOCKER_HOST=unix://$1/podman.sock DOCKER_CONFIG=$1/docker PATH=$1/bin:$PATH
  # BuildKit is an image itself. In the format of OCI, images have no health check.
  export DOCKER_BUILDKIT=0 BUILDAH_FORMAT=docker
  # systemd's timers would run health checks; health.sh does.
  export DISABLE_HC_SYSTEMD=true
}

# print_podman <folder>: for the shell that runs Compose and the tests.
print_podman() {
  cat <<END
export DOCKER_HOST=unix://$1/podman.sock
export DOCKER_CONFIG=$1/docker
export DOCKER_BUILDKIT=0
# An image of a registry; engine.sh down removes containers.
export TESTCONTAINERS_RYUK_DISABLED=true
export PATH=$1/bin:\$PATH
END
}
