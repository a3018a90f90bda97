#!/usr/bin/env bash
# make.sh <folder> <name> [host...]: makes <name>.pem and <name>.key for these hosts, by default the name, signed by the
# authority ca.pem of the folder, which it makes if there is none. Servers and clients use them alike.
# DAYS: how long certificates are valid, by default 90. For production use your own PKI, such as cert-manager.
set -euo pipefail
umask 077
[ $# -ge 2 ] || { echo "make.sh <folder> <name> [host...]" >&2; exit 2; }
folder=$1 name=$2
shift 2
[ $# -gt 0 ] || set -- "$name"
mkdir -p "$folder"
cd "$folder"
new_key=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)

if [ ! -f ca.key ]; then
  openssl req -x509 "${new_key[@]}" -keyout ca.key -out ca.pem -days 3650 -subj "/CN=Switchboard services" \
    -addext basicConstraints=critical,CA:TRUE,pathlen:0 -addext keyUsage=critical,keyCertSign,cRLSign 2>/dev/null
fi

names=""
for host in "$@"; do
  if [[ $host =~ ^[0-9.]+$|: ]]; then names+="${names:+,}IP:$host"; else names+="${names:+,}DNS:$host"; fi
done
printf '%s\n' "subjectAltName=$names" basicConstraints=critical,CA:FALSE keyUsage=critical,digitalSignature \
  extendedKeyUsage=serverAuth,clientAuth >".$name.extensions"
openssl req "${new_key[@]}" -keyout ".$name.key" -out ".$name.request" -subj "/CN=$name" 2>/dev/null
openssl x509 -req -in ".$name.request" -CA ca.pem -CAkey ca.key -days "${DAYS:-90}" -extfile ".$name.extensions" \
  -out ".$name.pem" 2>/dev/null
# Renamed, so that no reader sees half a file.
mv ".$name.key" "$name.key"
mv ".$name.pem" "$name.pem"
rm ".$name.request" ".$name.extensions"
