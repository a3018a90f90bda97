#!/usr/bin/env bash
# A Kubernetes API server with its etcd for e2e/kubernetes: it validates, defaults and admits objects as a cluster does.
# Without `nodes` it has no controllers either, so no pod runs.
#   kubernetes.sh up              starts it and prints variables:  eval "$(deploy/backings/kubernetes.sh up)"
#   kubernetes.sh up nodes        the same with two nodes, as root
#   kubernetes.sh load <archive>  gives the nodes images, as `docker save` writes them
#   kubernetes.sh down            stops it and removes its state
# `install.sh kubernetes` or `install.sh nodes` builds its programs. It listens on addresses of this machine only.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
backings=${SWITCHBOARD_BACKINGS:-$HOME/.cache/switchboard-backings}
home=$backings/kubernetes
bin=$home/bin dir=$home/run
export KUBECONFIG=$dir/kubeconfig

fail() { echo "kubernetes.sh: $*" >&2; exit 1; }

. "$here/processes.sh"
. "$here/kubernetes/nodes.sh"

# An authority, and the certificate of an administrator that it signs.
make_certificates() {
  (
    cd "$dir/pki"
    openssl genrsa -out accounts.key 2048
    openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=switchboard-tests -keyout ca.key -out ca.crt
    openssl req -new -newkey rsa:2048 -nodes -subj /O=system:masters/CN=admin -keyout admin.key -out admin.csr
    openssl x509 -req -in admin.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -out admin.crt
  ) 2>/dev/null
}

# write_kubeconfig <address> <port>. The server signs its own certificate.
write_kubeconfig() {
  (
    umask 077
    cat >"$KUBECONFIG" <<END
apiVersion: v1
kind: Config
clusters: [{ name: tests, cluster: { server: "https://$1:$2", certificate-authority: $dir/pki/apiserver.crt } }]
users: [{ name: admin, user: { client-certificate: $dir/pki/admin.crt, client-key: $dir/pki/admin.key } }]
contexts: [{ name: tests, context: { cluster: tests, user: admin } }]
current-context: tests
END
  )
}

# up [nodes]
up() {
  local port etcd peers address=127.0.0.1 pki=$dir/pki more=()
  [ -x "$bin/kubectl" ] && [ -d "$home/types" ] || fail "run deploy/backings/install.sh kubernetes"
  if [ "${1:-}" = nodes ]; then
    [ "$(id -u)" = 0 ] || fail "nodes need root"
    [ -f "$home/pause.tar" ] || fail "run deploy/backings/install.sh nodes"
  fi
  down
  mkdir -p "$pki"
  trap 'code=$?; [ "$code" = 0 ] || down; exit "$code"' EXIT
  make_certificates
  if [ "${1:-}" = nodes ]; then
    make_network
    # Pods' logs and commands go through the kubelets.
    address=$network.1 more=(
      --allow-privileged --kubelet-preferred-address-types InternalIP
      --kubelet-client-certificate "$pki/admin.crt" --kubelet-client-key "$pki/admin.key"
      # Authenticates as itself to metrics-server, on behalf of others.
      --proxy-client-cert-file "$pki/admin.crt" --proxy-client-key-file "$pki/admin.key"
      --requestheader-client-ca-file "$pki/ca.crt" --requestheader-allowed-names admin
      --requestheader-username-headers X-Remote-User --requestheader-group-headers X-Remote-Group
      --requestheader-extra-headers-prefix X-Remote-Extra-
    )
  fi
  port=$(free_port) etcd=http://127.0.0.1:$(free_port) peers=http://127.0.0.1:$(free_port)
  write_kubeconfig "$address" "$port"
  start etcd "$bin/etcd" --data-dir "$dir/etcd" --unsafe-no-fsync --log-level warn \
    --listen-client-urls "$etcd" --advertise-client-urls "$etcd" --listen-peer-urls "$peers"
  start apiserver "$bin/kube-apiserver" --etcd-servers "$etcd" --bind-address "$address" --secure-port "$port" \
    --advertise-address 192.0.2.1 --service-cluster-ip-range "$services,fd00:10:96::/112" --authorization-mode RBAC --cert-dir "$pki" \
    --client-ca-file "$pki/ca.crt" \
    --service-account-issuer https://kubernetes.default.svc --service-account-key-file "$pki/accounts.key" \
    --service-account-signing-key-file "$pki/accounts.key" "${more[@]}"
  await apiserver 60 "$bin/kubectl" get --raw /readyz
  # Applied on the server, because the client's annotation would exceed the size limit of annotations.
  "$bin/kubectl" apply --server-side --filename "$home/types" >/dev/null
  "$bin/kubectl" wait --for=condition=Established --all --timeout=60s crd >/dev/null
  [ "${1:-}" != nodes ] || start_nodes
  echo "export KUBECONFIG=$KUBECONFIG"
  echo "export PATH=$bin:\$PATH"
}

# KILL, because the API server would drain for a minute and its state is deleted anyway.
down() {
  local name pid
  for name in apiserver etcd controller-manager scheduler coredns metrics-server; do
    [ -f "$dir/$name.pid" ] || continue
    pid=$(<"$dir/$name.pid")
    # After a restart of the machine, another process may have this id.
    ! grep --quiet --fixed-strings "$dir" "/proc/$pid/cmdline" 2>/dev/null || kill -KILL "$pid"
  done
  stop_nodes
  rm -rf "$dir"
}

case ${1:-} in
  up) up "${2:-}" ;;
  load) load "$2" ;;
  down) down ;;
  *) echo "Usage: kubernetes.sh up [nodes]|load <archive>|down" >&2; exit 2 ;;
esac
