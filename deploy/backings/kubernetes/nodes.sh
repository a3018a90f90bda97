# Sourced by kubernetes.sh: the controllers, DNS, and two nodes whose pods run. Needs root.
# A node is a network namespace with a containerd, a kubelet and a kube-proxy, on a bridge that only this machine reaches.
bridge=switchboard-k8s
network=10.250.0
nodes=(1 2)
# Where a pod's address, a node and a Service are: 10.244.<node>.x, 10.250.0.1<node>, 10.96.x.x.
services=10.96.0.0/16
pods=10.244.0.0/16
cni=/usr/lib/cni

in_node() { nsenter --net="/run/netns/switchboard-node$1" "${@:2}"; }
# cgroups <node>: its folders, one per hierarchy where cgroups are of version 1.
cgroups() {
  if [ -f /sys/fs/cgroup/cgroup.controllers ]; then echo "/sys/fs/cgroup/switchboard-node$1"; return; fi
  awk '$3 == "cgroup" { print $2 }' /proc/mounts | sed "s|\$|/switchboard-node$1|"
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
  local node=$1 run=$dir/node$1 folder
  mkdir -p "$run/cni" "$run/pki"
  # Everything of a node is below one control group, so that nothing of it is left when it is stopped.
  for folder in $(cgroups "$node"); do
    mkdir -p "$folder/runtime"
    # A group weighs as much as one process, whatever is in it.
    ! [ -f "$folder/cpu.shares" ] || echo 8192 >"$folder/cpu.shares"
    ! [ -f "$folder/cpu.weight" ] || echo 800 >"$folder/cpu.weight"
    # Of version 1, this controller has to be told what a new group may use.
    ! [ -f "$folder/cpuset.cpus" ] || [ -n "$(<"$folder/cpuset.cpus")" ] || copy_cpuset "$folder" "$folder/runtime"
  done
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
cgroupRoot: /switchboard-node$node
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
    --root-dir "$run/kubelet" --cert-dir "$run/pki" --hostname-override "node$node" --node-ip "$network.1$node"
  # The machine's limits on tracked connections stay.
  start_in_node "$node" proxy "$bin/kube-proxy" --kubeconfig "$KUBECONFIG" --hostname-override "node$node" \
    --cluster-cidr "$pods" --conntrack-max-per-core 0 --conntrack-tcp-timeout-established 0 --conntrack-tcp-timeout-close-wait 0
}

# start_in_node <node> <name> <command...>
start_in_node() {
  local node=$1 name=$2
  shift 2
  start "$name$node" bash -c 'for folder in $1; do echo $$ >"$folder/runtime/cgroup.procs"; done
    exec nsenter --net="$2" "${@:3}"' - "$(cgroups "$node")" "/run/netns/switchboard-node$node" "$@"
}

copy_cpuset() {
  local folder file
  for folder in "$@"; do
    for file in cpuset.cpus cpuset.mems; do cat "$(dirname "$folder")/$file" >"$folder/$file"; done
  done
}

start_nodes() {
  local node
  start_controllers
  for node in "${nodes[@]}"; do start_node "$node"; done
  for node in "${nodes[@]}"; do
    await "kubelet$node" 60 "$bin/kubectl" wait --for=condition=Ready --timeout=1s "node/node$node"
  done
}

# load <archive>: images as `docker save` writes them, into each node, under the names by which a pod asks for them.
load() {
  local node name short ctr
  for node in "${nodes[@]}"; do
    ctr=(ctr --address "$dir/node$node/containerd.sock" --namespace k8s.io images)
    "${ctr[@]}" import "$1" >/dev/null
    # Podman puts localhost before what it built.
    for name in $("${ctr[@]}" list --quiet | grep '^localhost/' | grep --invert-match '^localhost/pause:'); do
      short=${name#localhost/}
      [[ $short == */* ]] || short=library/$short
      "${ctr[@]}" tag --force "$name" "docker.io/$short" >/dev/null
    done
  done
}

stop_nodes() {
  local node folder tries mount
  for node in "${nodes[@]}"; do
    for folder in $(cgroups "$node"); do
      [ -d "$folder" ] || continue
      tries=0
      while find "$folder" -name cgroup.procs -exec cat {} + 2>/dev/null | grep --quiet . && [ $((tries += 1)) -le 100 ]; do
        find "$folder" -name cgroup.procs -exec cat {} + | xargs --no-run-if-empty kill -KILL 2>/dev/null || true
        sleep 0.1
      done
      find "$folder" -depth -type d -exec rmdir {} + 2>/dev/null || true
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
