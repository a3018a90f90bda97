# Sourced by kubernetes.sh: the controllers, DNS, metrics, and two nodes that run pods, each in its own zone. Needs root.
# A node is a network namespace with a containerd, a kubelet and a kube-proxy, on a bridge that only this machine reaches.
bridge=switchboard-k8s
network=10.250.0
nodes=(1 2)
# Addresses of pods, nodes and Services: 10.244.<node>.x, 10.250.0.1<node>, 10.96.x.x.
services=10.96.0.0/16
pods=10.244.0.0/16
cni=/usr/lib/cni

in_node() { nsenter --net="/run/netns/switchboard-node$1" "${@:2}"; }
# cgroups [name]: the folders of the nodes' control group, or of one in it: one per hierarchy.
cgroups() { awk -v name="switchboard-nodes${1:+/$1}" '$3 ~ /^cgroup2?$/ { print $2 "/" name }' /proc/mounts; }

# make_cgroup [name]: creates a control group with the limits of its parent.
make_cgroup() {
  local folder parent one
  for folder in $(cgroups "${1:-}"); do
    parent=$(dirname "$folder")
    if [ -f "$parent/cgroup.controllers" ]; then
      for one in $(<"$parent/cgroup.controllers"); do echo "+$one" >"$parent/cgroup.subtree_control" || true; done
    fi
    mkdir -p "$folder"
    # In version 1, this controller needs its settings written.
    ! [ -f "$folder/cpuset.sched_load_balance" ] ||
      for one in cpuset.cpus cpuset.mems; do cat "$parent/$one" >"$folder/$one"; done
  done
}

# Both nodes together weigh as much as four threads outside of the group, whatever a kubelet gives its own: otherwise busy
# pods would keep the API server and the tests from the cores.
make_cgroup_of_nodes() {
  local folder
  make_cgroup
  for folder in $(cgroups); do
    ! [ -f "$folder/cpu.shares" ] || echo 4096 >"$folder/cpu.shares"
    ! [ -f "$folder/cpu.weight" ] || echo 400 >"$folder/cpu.weight"
  done
}

make_network() {
  local node other
  ip link add "$bridge" type bridge
  ip address add "$network.1/24" dev "$bridge"
  ip link set "$bridge" up
  for node in "${nodes[@]}"; do
    ip netns add "switchboard-node$node"
    ip link add "swk8s$node" type veth peer name eth0 netns "switchboard-node$node"
    ip link set "swk8s$node" master "$bridge" up
    in_node "$node" ip link set lo up
    in_node "$node" ip address add "$network.1$node/24" dev eth0
    in_node "$node" ip link set eth0 up
    in_node "$node" ip route add default via "$network.1"
    in_node "$node" sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
    ip route add "10.244.$node.0/24" via "$network.1$node"
    for other in "${nodes[@]}"; do
      [ "$other" = "$node" ] || in_node "$node" ip route add "10.244.$other.0/24" via "$network.1$other"
    done
  done
  # Tests reach Services through the first node.
  ip route add "$services" via "$network.11"
}

start_controllers() {
  start controller-manager "$bin/kube-controller-manager" --kubeconfig "$KUBECONFIG" --leader-elect=false --secure-port 0 \
    --service-account-private-key-file "$pki/accounts.key" --root-ca-file "$pki/apiserver.crt" --cert-dir "$pki"
  start scheduler "$bin/kube-scheduler" --kubeconfig "$KUBECONFIG" --leader-elect=false --secure-port 0
  cat >"$dir/Corefile" <<END_OF_FILE
.:53 {
  bind $network.1
  kubernetes cluster.local {
    kubeconfig $KUBECONFIG
  }
  cache 5
}
END_OF_FILE
  start coredns "$bin/coredns" -conf "$dir/Corefile"
}

# start_node <number>
start_node() {
  local node=$1 run=$dir/node$1
  mkdir -p "$run/cni" "$run/pki"
  make_cgroup "node$node"
  make_cgroup "node$node/runtime"
  cat >"$run/cni/10-pods.conflist" <<END_OF_FILE
{ "cniVersion": "0.4.0", "name": "pods", "plugins": [{
  "type": "bridge", "bridge": "pods", "isGateway": true, "hairpinMode": true,
  "ipam": { "type": "host-local", "dataDir": "$run/addresses",
    "ranges": [[{ "subnet": "10.244.$node.0/24" }]], "routes": [{ "dst": "0.0.0.0/0" }] } }] }
END_OF_FILE
  # Lowering an OOM score takes a capability that a container of CI may lack.
  cat >"$run/containerd.toml" <<END_OF_FILE
version = 2
root = "$run/containerd"
state = "$run/state"
[grpc]
  address = "$run/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  restrict_oom_score_adj = true
  disable_apparmor = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "$cni"
    conf_dir = "$run/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
END_OF_FILE
  # Images and pods stay when a shared disk fills up.
  cat >"$run/kubelet.yaml" <<END_OF_FILE
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: { anonymous: { enabled: false }, webhook: { enabled: false }, x509: { clientCAFile: "$pki/ca.crt" } }
authorization: { mode: AlwaysAllow }
address: $network.1$node
healthzPort: 0
cgroupDriver: cgroupfs
cgroupRoot: /switchboard-nodes/node$node
enforceNodeAllocatable: []
failCgroupV1: false
failSwapOn: false
oomScoreAdj: 0
containerRuntimeEndpoint: unix://$run/containerd.sock
clusterDNS: ["$network.1"]
clusterDomain: cluster.local
imageGCHighThresholdPercent: 100
evictionHard: { memory.available: 100Mi, nodefs.available: 1%, nodefs.inodesFree: 1%, imagefs.available: 1% }
END_OF_FILE
  start_in_node "$node" containerd containerd --config "$run/containerd.toml"
  await "containerd$node" 30 ctr --address "$run/containerd.sock" version
  ctr --address "$run/containerd.sock" --namespace k8s.io images import "$home/pause.tar" >/dev/null
  start_in_node "$node" kubelet "$bin/kubelet" --config "$run/kubelet.yaml" --kubeconfig "$KUBECONFIG" \
    --root-dir "$run/kubelet" --cert-dir "$run/pki" --hostname-override "node$node" --node-ip "$network.1$node" \
    --node-labels "topology.kubernetes.io/zone=zone$node"
  # The machine's limits on tracked connections stay.
  start_in_node "$node" proxy "$bin/kube-proxy" --kubeconfig "$KUBECONFIG" --hostname-override "node$node" \
    --cluster-cidr "$pods" --conntrack-max-per-core 0 --conntrack-tcp-timeout-established 0 --conntrack-tcp-timeout-close-wait 0
}

# start_in_node <node> <name> <command...>
start_in_node() {
  local node=$1 name=$2
  shift 2
  start "$name$node" bash -c 'for folder in $1; do echo $$ >"$folder/cgroup.procs"; done
    exec nsenter --net="$2" "${@:3}"' - "$(cgroups "node$node/runtime")" "/run/netns/switchboard-node$node" "$@"
}

# The CPU metrics of pods, for autoscalers.
start_metrics() {
  local port
  port=$(free_port)
  start metrics-server "$bin/metrics-server" --kubeconfig "$KUBECONFIG" --authentication-kubeconfig "$KUBECONFIG" \
    --authorization-kubeconfig "$KUBECONFIG" --bind-address "$network.1" --secure-port "$port" --cert-dir "$pki/metrics" \
    --kubelet-insecure-tls --kubelet-preferred-address-types InternalIP --metric-resolution 10s --kubelet-request-timeout 5s
  # Of this type, the API server asks the address itself.
  "$bin/kubectl" apply --filename - >/dev/null <<END_OF_FILE
apiVersion: v1
kind: Service
metadata: { name: metrics-server, namespace: kube-system }
spec: { type: ExternalName, externalName: $network.1 }
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: v1beta1.metrics.k8s.io }
spec:
  group: metrics.k8s.io
  version: v1beta1
  groupPriorityMinimum: 100
  versionPriority: 100
  service: { namespace: kube-system, name: metrics-server, port: $port }
  insecureSkipTLSVerify: true
END_OF_FILE
}

start_nodes() {
  local node
  start_controllers
  # All processes of the nodes are in one control group, so that stopping it ends all of them.
  make_cgroup_of_nodes
  for node in "${nodes[@]}"; do start_node "$node"; done
  for node in "${nodes[@]}"; do
    await "kubelet$node" 60 "$bin/kubectl" wait --for=condition=Ready --timeout=1s "node/node$node"
  done
  start_metrics
  await metrics-server 60 "$bin/kubectl" top nodes
}

# load <archive>: images as `docker save` writes them, into each node, under the names that pods use.
load() {
  local node name short ctr
  for node in "${nodes[@]}"; do
    ctr=(ctr --address "$dir/node$node/containerd.sock" --namespace k8s.io images)
    "${ctr[@]}" import "$1" >/dev/null
    # Podman prefixes the names of the images that it built with localhost.
    for name in $("${ctr[@]}" list --quiet | grep '^localhost/' | grep --invert-match '^localhost/pause:'); do
      short=${name#localhost/}
      [[ $short == */* ]] || short=library/$short
      "${ctr[@]}" tag --force "$name" "docker.io/$short" >/dev/null
    done
  done
}

stop_nodes() {
  local node folder tries mount
  for folder in $(cgroups); do
    tries=0
    # A group stays busy until its killed processes are gone.
    while [ -d "$folder" ] && [ $((tries += 1)) -le 100 ]; do
      find "$folder" -name cgroup.procs -exec cat {} + 2>/dev/null | xargs --no-run-if-empty kill -KILL 2>/dev/null || true
      find "$folder" -depth -type d -exec rmdir {} + 2>/dev/null || sleep 0.1
    done
  done
  awk -v below="$dir/" 'index($2, below) == 1 { print $2 }' /proc/mounts | sort --reverse | while read -r mount; do
    umount --lazy "$mount"
  done
  for node in "${nodes[@]}"; do
    ! [ -e "/run/netns/switchboard-node$node" ] || ip netns delete "switchboard-node$node"
  done
  ! ip link show "$bridge" >/dev/null 2>&1 || ip link delete "$bridge"
}
