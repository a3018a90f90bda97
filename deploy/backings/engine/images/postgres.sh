#!/bin/bash
# Initialises a new volume with POSTGRES_PASSWORD and /docker-entrypoint-initdb.d/*.sql, then serves as user postgres.
set -euo pipefail
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA" && chown -R postgres:postgres /var/lib/postgresql
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --username=postgres --pwfile=<(printf '%s\n' "$POSTGRES_PASSWORD") \
    --auth-host=scram-sha-256 --auth-local=trust --locale=C.UTF-8 -D "$PGDATA" >/dev/null
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  echo "listen_addresses = '*'" >>"$PGDATA/postgresql.conf"
  # Logs to the output, like the official image: callers wait for the second line that reports readiness.
  pg_ctl -D "$PGDATA" -o "-c listen_addresses=''" -w start
  for file in /docker-entrypoint-initdb.d/*.sql; do
    [ -e "$file" ] || continue
    psql -v ON_ERROR_STOP=1 --no-password --no-psqlrc --username=postgres --dbname=postgres --file="$file" >/dev/null
  done
  pg_ctl -D "$PGDATA" -m fast -w stop >/dev/null
fi
exec "$@"
