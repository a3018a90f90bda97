#!/usr/bin/env bash
# build.sh <folder> [nodes]: the Kubernetes API server, kubectl and etcd from their Go modules, and the types of other
# operators that the chart uses; with `nodes` also the programs that run pods. Takes minutes of CPU time. Keeps existing programs.
set -euo pipefail
home=$1 nodes=${2:-}
kubernetes_version=v1.34.4
etcd_version=v3.6.5
keda_version=v2.21.0
prometheus_operator_version=v0.85.0
gateway_api_version=v1.3.0
coredns_version=v1.12.4
metrics_server_version=v0.9.0
mkdir -p "$home/bin" "$home/build" "$home/types"

fail() { echo "install.sh: $*" >&2; exit 1; }

# build <name> <linker flags> <package@version...>: as dependencies of an empty module, because `go install` refuses
# modules with replace directives.
build() {
  local name=$1 flags=$2 module=$home/build/$1 done=$home/bin/.$1
  shift 2
  [ "$(cat "$done" 2>/dev/null)" != "$*" ] || return 0
  rm -rf "$module" && mkdir -p "$module"
  (
    cd "$module"
    go mod init build
    [[ $1 != k8s.io/kubernetes/* ]] || replace_staging "$kubernetes_version"
    go get "$@"
    CGO_ENABLED=0 go build -trimpath -ldflags "-s -w $flags" -o "$home/bin/" "${@%@*}"
  ) >"$home/$name.log" 2>&1 || fail "$name was not built; see $home/$name.log"
  rm -rf "$module"
  echo "$*" >"$done"
}

# Kubernetes' go.mod takes its own libraries from a folder; their releases have the same version with a 0.
replace_staging() {
  local gomod module
  go mod download "k8s.io/kubernetes@$1"
  gomod=$(go env GOMODCACHE)/cache/download/k8s.io/kubernetes/@v/$1.mod
  for module in $(sed -nE 's|^\s+(k8s.io/[a-z-]+) => ./staging.*|\1|p' "$gomod"); do
    echo "replace $module => $module v0.${1#v1.}"
  done >>go.mod
}

# types <module> <version> <file...>: downloads custom resource definitions from a module.
types() {
  local module=$1 version=$2
  shift 2
  go mod download "$module@$version" || fail "$module was not downloaded"
  install -m 644 "${@/#/$(go env GOMODCACHE)/$module@$version/}" "$home/types/"
}

# The pause image, which holds the namespaces of a pod: one program that waits.
pause_image() {
  local folder=$home/build/pause digest
  [ ! -f "$home/pause.tar" ] || return 0
  rm -rf "$folder" && mkdir -p "$folder"
  (
    cd "$folder"
    tar --create --file layer.tar --directory "$(dirname "$(type -P catatonit)")" catatonit
    digest=$(sha256sum layer.tar | cut -d' ' -f1)
    cat >config.json <<END
{ "architecture": "$(go env GOARCH)", "os": "linux", "config": { "Entrypoint": ["/catatonit", "-P"] },
  "rootfs": { "type": "layers", "diff_ids": ["sha256:$digest"] } }
END
    echo '[{ "Config": "config.json", "RepoTags": ["localhost/pause:1"], "Layers": ["layer.tar"] }]' >manifest.json
    tar --create --file "$home/pause.tar" layer.tar config.json manifest.json
  )
  rm -rf "$folder"
}

type -P go >/dev/null || fail "go is missing; install Go 1.26 or newer"
type -P openssl >/dev/null || fail "openssl is missing; install it with your system's package manager"
of=k8s.io/component-base/version
minor=${kubernetes_version#v1.}
flags="-X $of.gitVersion=$kubernetes_version -X $of.gitMajor=1 -X $of.gitMinor=${minor%.*}"
# commands <name...>: programs of Kubernetes.
commands() { printf "k8s.io/kubernetes/cmd/%s@$kubernetes_version " "$@"; }
build kubernetes "$flags" $(commands kube-apiserver kubectl)
build etcd "" "go.etcd.io/etcd/server/v3@$etcd_version"
# The package is called server.
ln -sf server "$home/bin/etcd"
[ -x "$home/bin/kubectl" ] || fail "kubectl was not built"
types github.com/kedacore/keda/v2 "$keda_version" \
  config/crd/bases/keda.sh_{scaledobjects,triggerauthentications}.yaml
types github.com/prometheus-operator/prometheus-operator "$prometheus_operator_version" \
  example/prometheus-operator-crd/monitoring.coreos.com_{podmonitors,prometheusrules}.yaml
types sigs.k8s.io/gateway-api "$gateway_api_version" \
  config/crd/standard/gateway.networking.k8s.io_httproutes.yaml
[ "$nodes" = nodes ] || exit 0
build nodes "$flags" $(commands kube-controller-manager kube-scheduler kubelet kube-proxy)
build coredns "" "github.com/coredns/coredns@$coredns_version"
build metrics-server "" "sigs.k8s.io/metrics-server/cmd/metrics-server@$metrics_server_version"
pause_image
