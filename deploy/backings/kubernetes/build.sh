#!/usr/bin/env bash
# build.sh <folder>: the Kubernetes API server, kubectl and etcd from their Go modules, and the types of other operators
# that the chart uses. Minutes of CPU time. Keeps what exists.
set -euo pipefail
home=$1
kubernetes_version=v1.34.4
etcd_version=v3.6.5
keda_version=v2.21.0
prometheus_operator_version=v0.85.0
gateway_api_version=v1.3.0
mkdir -p "$home/bin" "$home/build" "$home/types"

fail() { echo "install.sh: $*" >&2; exit 1; }

# build <name> <version> <linker flags> <package...>: as dependencies of an empty module, because `go install` refuses
# modules with replace directives.
build() {
  local name=$1 version=$2 flags=$3 module=$home/build/$1
  shift 3
  [ ! -f "$home/bin/.$name-$version" ] || return 0
  rm -rf "$module" && mkdir -p "$module"
  (
    cd "$module"
    go mod init build
    replace_staging "$name" "$version"
    go get "${@/%/@$version}"
    CGO_ENABLED=0 go build -trimpath -ldflags "-s -w $flags" -o "$home/bin/" "$@"
  ) >"$home/$name.log" 2>&1 || fail "$name was not built; see $home/$name.log"
  rm -rf "$module"
  touch "$home/bin/.$name-$version"
}

# Kubernetes' go.mod takes its own libraries from a folder; their releases have the same version with a 0.
replace_staging() {
  [ "$1" = kubernetes ] || return 0
  local gomod module
  go mod download "k8s.io/kubernetes@$2"
  gomod=$(go env GOMODCACHE)/cache/download/k8s.io/kubernetes/@v/$2.mod
  for module in $(sed -nE 's|^\s+(k8s.io/[a-z-]+) => ./staging.*|\1|p' "$gomod"); do
    echo "replace $module => $module v0.${2#v1.}"
  done >>go.mod
}

# types <module> <version> <file...>: custom resource definitions, as a module has them.
types() {
  local module=$1 version=$2
  shift 2
  go mod download "$module@$version" || fail "$module was not downloaded"
  install -m 644 "${@/#/$(go env GOMODCACHE)/$module@$version/}" "$home/types/"
}

type -P go >/dev/null || fail "go is missing; install Go 1.26 or newer"
type -P openssl >/dev/null || fail "openssl is missing; install it with your system's package manager"
of=k8s.io/component-base/version
minor=${kubernetes_version#v1.}
build kubernetes "$kubernetes_version" \
  "-X $of.gitVersion=$kubernetes_version -X $of.gitMajor=1 -X $of.gitMinor=${minor%.*}" \
  k8s.io/kubernetes/cmd/{kube-apiserver,kubectl}
build etcd "$etcd_version" "" go.etcd.io/etcd/server/v3
# The package is called server.
ln -sf server "$home/bin/etcd"
[ -x "$home/bin/kubectl" ] || fail "kubectl was not built"
types github.com/kedacore/keda/v2 "$keda_version" \
  config/crd/bases/keda.sh_{scaledobjects,triggerauthentications}.yaml
types github.com/prometheus-operator/prometheus-operator "$prometheus_operator_version" \
  example/prometheus-operator-crd/monitoring.coreos.com_{podmonitors,prometheusrules}.yaml
types sigs.k8s.io/gateway-api "$gateway_api_version" \
  config/crd/standard/gateway.networking.k8s.io_httproutes.yaml
