-- For cluster.yml: the role with which the replica copies, and commits that wait for it. Before services.sql, while nothing
-- waits yet: the setting holds from the start that follows.
\getenv replication REPLICATION_DB_PASSWORD

CREATE ROLE replication LOGIN REPLICATION PASSWORD :'replication';
SELECT pg_create_physical_replication_slot('replica');
ALTER SYSTEM SET synchronous_standby_names = '*';
\! echo 'host replication replication all scram-sha-256' >>"$PGDATA/pg_hba.conf"
