CREATE SCHEMA "lake";
--> statement-breakpoint
CREATE TABLE "lake"."ducklake_metadata" (
	"key" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL,
	"scope" text,
	"scope_id" bigint
);

--> statement-breakpoint
INSERT INTO "lake"."ducklake_metadata" VALUES ('version', '1.0'), ('created_by', 'Switchboard'), ('encrypted', 'false');
--> statement-breakpoint
-- The rest of the catalogue: views with the columns of DuckLake 1.0. The only snapshot is the present. Its id is the
-- time in microseconds, because DuckDB keeps statistics of an id that it has seen.
CREATE VIEW "lake"."ducklake_snapshot" AS
	SELECT (extract(epoch FROM now()) * 1000000)::bigint AS snapshot_id, now() AS snapshot_time, 0::bigint AS schema_version,
		2::bigint AS next_catalog_id, (extract(epoch FROM now()) * 1000000)::bigint AS next_file_id;
--> statement-breakpoint
CREATE VIEW "lake"."ducklake_snapshot_changes" AS
	SELECT snapshot_id, ''::text AS changes_made, NULL::text AS author, NULL::text AS commit_message, NULL::text AS commit_extra_info
	FROM "lake"."ducklake_snapshot";
--> statement-breakpoint
CREATE VIEW "lake"."ducklake_schema_versions" AS
	SELECT 0::bigint AS begin_snapshot, 0::bigint AS schema_version, 1::bigint AS table_id;
--> statement-breakpoint
CREATE VIEW "lake"."ducklake_schema" AS
	SELECT 0::bigint AS schema_id, '0198e5b2-0c5a-7b43-9d0e-5f2c1f6c8a01'::uuid AS schema_uuid, 0::bigint AS begin_snapshot,
		NULL::bigint AS end_snapshot, 'main' AS schema_name, '' AS path, true AS path_is_relative;
--> statement-breakpoint
CREATE VIEW "lake"."ducklake_table" AS
	SELECT 1::bigint AS table_id, '0198e5b2-0c5a-7b43-9d0e-5f2c1f6c8a02'::uuid AS table_uuid, 0::bigint AS begin_snapshot,
		NULL::bigint AS end_snapshot, 0::bigint AS schema_id, 'events' AS table_name, '' AS path, true AS path_is_relative;
--> statement-breakpoint
CREATE VIEW "lake"."ducklake_column" AS
	SELECT column_id, 0::bigint AS begin_snapshot, NULL::bigint AS end_snapshot, 1::bigint AS table_id, column_id AS column_order,
		column_name, column_type, NULL::text AS initial_default, NULL::text AS default_value, nulls_allowed, NULL::bigint AS parent_column,
		NULL::text AS default_value_type, NULL::text AS default_value_dialect
	FROM (VALUES
		(1::bigint, 'project_id', 'varchar', false),
		(2, 'event_id', 'varchar', false),
		(3, 'event_name', 'varchar', false),
		(4, 'distinct_id', 'varchar', false),
		(5, 'session_id', 'varchar', true),
		(6, 'schema_version', 'int64', false),
		(7, 'occurred_at', 'timestamptz', false),
		(8, 'received_at', 'timestamptz', false),
		(9, 'sent_at', 'timestamptz', true),
		(10, 'timestamp', 'varchar', false),
		(11, 'properties', 'varchar', true),
		(12, 'context', 'varchar', true),
		(13, 'bot', 'boolean', false),
		(14, 'log_partition', 'int32', false),
		(15, 'log_offset', 'int64', false),
		(16, 'log_line', 'int32', false)
	) AS columns (column_id, column_name, column_type, nulls_allowed);
--> statement-breakpoint
-- The Parquet files have no field ids: their columns are found by name.
CREATE VIEW "lake"."ducklake_column_mapping" AS
	SELECT 0::bigint AS mapping_id, 1::bigint AS table_id, 'map_by_name' AS type;
--> statement-breakpoint
CREATE VIEW "lake"."ducklake_name_mapping" AS
	SELECT 0::bigint AS mapping_id, column_id, column_name AS source_name, column_id AS target_field_id, NULL::bigint AS parent_column,
		false AS is_partition
	FROM "lake"."ducklake_column";
--> statement-breakpoint
-- Row ids are only unique: a file has fewer than 2^24 rows.
CREATE VIEW "lake"."ducklake_data_file" AS
	SELECT revision AS data_file_id, 1::bigint AS table_id, 0::bigint AS begin_snapshot, NULL::bigint AS end_snapshot,
		NULL::bigint AS file_order, substr(key, length('events/') + 1) AS path, true AS path_is_relative, 'parquet' AS file_format, rows AS record_count,
		bytes AS file_size_bytes, NULL::bigint AS footer_size, revision << 24 AS row_id_start, NULL::bigint AS partition_id,
		NULL::text AS encryption_key, 0::bigint AS mapping_id, NULL::bigint AS partial_max
	FROM "event_files" WHERE replaced_at IS NULL AND deleted_at IS NULL;
--> statement-breakpoint
-- What lets DuckDB leave out files. Times are rounded outwards to seconds. Without a row, a file is read.
CREATE VIEW "lake"."ducklake_file_column_stats" AS
	SELECT revision AS data_file_id, 1::bigint AS table_id, column_id, NULL::bigint AS column_size_bytes, rows AS value_count,
		0::bigint AS null_count, min_value, max_value, NULL::boolean AS contains_nan, NULL::text AS extra_stats
	FROM (
		SELECT revision, rows, 1::bigint AS column_id, project_id AS min_value, project_id AS max_value
		FROM "event_files" WHERE project_id IS NOT NULL AND replaced_at IS NULL AND deleted_at IS NULL
		UNION ALL
		SELECT revision, rows, 7, to_char(to_timestamp(first_occurred_at / 1000 - 1) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"+00"'),
			to_char(to_timestamp(last_occurred_at / 1000 + 1) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS"+00"')
		FROM "event_files" WHERE replaced_at IS NULL AND deleted_at IS NULL
			-- Only years that have four digits.
			AND first_occurred_at > -62135500000000 AND last_occurred_at < 253402200000000
		UNION ALL
		SELECT revision, rows, 8, to_char(day, 'YYYY-MM-DD') || ' 00:00:00+00', to_char(day + 1, 'YYYY-MM-DD') || ' 00:00:00+00'
		FROM "event_files" WHERE replaced_at IS NULL AND deleted_at IS NULL
	) AS known;
--> statement-breakpoint
CREATE VIEW "lake"."ducklake_table_stats" AS
	SELECT 1::bigint AS table_id, coalesce(sum(rows), 0)::bigint AS record_count, coalesce(sum(rows), 0)::bigint AS next_row_id,
		coalesce(sum(bytes), 0)::bigint AS file_size_bytes
	FROM "event_files" WHERE replaced_at IS NULL AND deleted_at IS NULL;
--> statement-breakpoint
-- Never any rows.
CREATE VIEW "lake"."ducklake_table_column_stats" AS
	SELECT NULL::bigint AS table_id, NULL::bigint AS column_id, NULL::boolean AS contains_null, NULL::boolean AS contains_nan,
		NULL::text AS min_value, NULL::text AS max_value, NULL::text AS extra_stats WHERE false;
--> statement-breakpoint
CREATE VIEW "lake"."ducklake_file_variant_stats" AS
	SELECT NULL::bigint AS data_file_id, NULL::bigint AS table_id, NULL::bigint AS column_id, NULL::text AS variant_path,
		NULL::text AS shredded_type, NULL::bigint AS column_size_bytes, NULL::bigint AS value_count, NULL::bigint AS null_count,
		NULL::text AS min_value, NULL::text AS max_value, NULL::boolean AS contains_nan, NULL::text AS extra_stats WHERE false;
--> statement-breakpoint
CREATE VIEW "lake"."ducklake_delete_file" AS
	SELECT NULL::bigint AS delete_file_id, NULL::bigint AS table_id, NULL::bigint AS begin_snapshot, NULL::bigint AS end_snapshot,
		NULL::bigint AS data_file_id, NULL::text AS path, NULL::boolean AS path_is_relative, NULL::text AS format,
		NULL::bigint AS delete_count, NULL::bigint AS file_size_bytes, NULL::bigint AS footer_size, NULL::text AS encryption_key,
		NULL::bigint AS partial_max WHERE false;
--> statement-breakpoint
CREATE VIEW "lake"."ducklake_inlined_data_tables" AS
	SELECT NULL::bigint AS table_id, NULL::text AS table_name, NULL::bigint AS schema_version WHERE false;
--> statement-breakpoint
CREATE VIEW "lake"."ducklake_view" AS
	SELECT NULL::bigint AS view_id, NULL::uuid AS view_uuid, NULL::bigint AS begin_snapshot, NULL::bigint AS end_snapshot,
		NULL::bigint AS schema_id, NULL::text AS view_name, NULL::text AS dialect, NULL::text AS sql, NULL::text AS column_aliases
	WHERE false;
--> statement-breakpoint
CREATE VIEW "lake"."ducklake_tag" AS
	SELECT NULL::bigint AS object_id, NULL::bigint AS begin_snapshot, NULL::bigint AS end_snapshot, NULL::text AS key,
		NULL::text AS value WHERE false;
--> statement-breakpoint
CREATE VIEW "lake"."ducklake_column_tag" AS
	SELECT NULL::bigint AS table_id, NULL::bigint AS column_id, NULL::bigint AS begin_snapshot, NULL::bigint AS end_snapshot,
		NULL::text AS key, NULL::text AS value WHERE false;
--> statement-breakpoint
CREATE VIEW "lake"."ducklake_partition_info" AS
	SELECT NULL::bigint AS partition_id, NULL::bigint AS table_id, NULL::bigint AS begin_snapshot, NULL::bigint AS end_snapshot
	WHERE false;
--> statement-breakpoint
CREATE VIEW "lake"."ducklake_partition_column" AS
	SELECT NULL::bigint AS partition_id, NULL::bigint AS table_id, NULL::bigint AS partition_key_index, NULL::bigint AS column_id,
		NULL::text AS transform WHERE false;
--> statement-breakpoint
CREATE VIEW "lake"."ducklake_file_partition_value" AS
	SELECT NULL::bigint AS data_file_id, NULL::bigint AS table_id, NULL::bigint AS partition_key_index,
		NULL::text AS partition_value WHERE false;
--> statement-breakpoint
CREATE VIEW "lake"."ducklake_files_scheduled_for_deletion" AS
	SELECT NULL::bigint AS data_file_id, NULL::text AS path, NULL::boolean AS path_is_relative,
		NULL::timestamptz AS schedule_start WHERE false;
--> statement-breakpoint
CREATE VIEW "lake"."ducklake_macro" AS
	SELECT NULL::bigint AS schema_id, NULL::bigint AS macro_id, NULL::text AS macro_name, NULL::bigint AS begin_snapshot,
		NULL::bigint AS end_snapshot WHERE false;
--> statement-breakpoint
CREATE VIEW "lake"."ducklake_macro_impl" AS
	SELECT NULL::bigint AS macro_id, NULL::bigint AS impl_id, NULL::text AS dialect, NULL::text AS sql, NULL::text AS type WHERE false;
--> statement-breakpoint
CREATE VIEW "lake"."ducklake_macro_parameters" AS
	SELECT NULL::bigint AS macro_id, NULL::bigint AS impl_id, NULL::bigint AS column_id, NULL::text AS parameter_name,
		NULL::text AS parameter_type, NULL::text AS default_value, NULL::text AS default_value_type WHERE false;
--> statement-breakpoint
CREATE VIEW "lake"."ducklake_sort_info" AS
	SELECT NULL::bigint AS sort_id, NULL::bigint AS table_id, NULL::bigint AS begin_snapshot, NULL::bigint AS end_snapshot WHERE false;
--> statement-breakpoint
CREATE VIEW "lake"."ducklake_sort_expression" AS
	SELECT NULL::bigint AS sort_id, NULL::bigint AS table_id, NULL::bigint AS sort_key_index, NULL::text AS expression,
		NULL::text AS dialect, NULL::text AS sort_direction, NULL::text AS null_order WHERE false;
