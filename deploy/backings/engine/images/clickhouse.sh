#!/bin/sh
# Serves a database, user and password of these names.
exec python3 /server.py --host 0.0.0.0 --port 8123 --folder /var/lib/clickhouse/data --database "$CLICKHOUSE_DB" \
  --user "$CLICKHOUSE_USER" --password "$CLICKHOUSE_PASSWORD"
