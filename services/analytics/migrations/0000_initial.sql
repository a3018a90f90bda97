CREATE TABLE "applied_positions" (
	"topic" text NOT NULL,
	"partition" integer NOT NULL,
	"next_offset" bigint NOT NULL,
	"as_of" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "applied_positions_topic_partition_pk" PRIMARY KEY("topic","partition")
);
--> statement-breakpoint
CREATE TABLE "archive_files" (
	"key" text PRIMARY KEY NOT NULL,
	"project" text,
	"bucket" integer,
	"buckets" integer,
	"bytes" bigint NOT NULL,
	"first_occurred_at" timestamp(3) with time zone NOT NULL,
	"last_occurred_at" timestamp(3) with time zone NOT NULL,
	"event_names" text[],
	"replaces" text[] NOT NULL
);
--> statement-breakpoint
CREATE TABLE "archived_offsets" (
	"region" text PRIMARY KEY NOT NULL,
	"offsets" bigint[] NOT NULL
);
--> statement-breakpoint
CREATE TABLE "backfills" (
	"name" text PRIMARY KEY NOT NULL,
	"position" json,
	"rows" bigint DEFAULT 0 NOT NULL,
	"next_at" timestamp with time zone DEFAULT now() NOT NULL,
	"done_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "clickhouse_blocks" (
	"log_partition" integer NOT NULL,
	"first_offset" bigint NOT NULL,
	"first_at" bigint NOT NULL,
	"last_offset" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "clickhouse_blocks_pk" PRIMARY KEY("log_partition","first_offset","first_at")
);
--> statement-breakpoint
CREATE TABLE "cohorts" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"match" json NOT NULL,
	"distinct_ids" text[] NOT NULL,
	"is_too_large" boolean NOT NULL,
	CONSTRAINT "cohorts_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "groups" (
	"project_id" text NOT NULL,
	"type" text NOT NULL,
	"id" text NOT NULL,
	"traits" json DEFAULT '{}'::json NOT NULL,
	"trait_stamps" json DEFAULT '{}'::json NOT NULL,
	"seen_on" date DEFAULT (now() at time zone 'utc')::date,
	CONSTRAINT "groups_project_id_type_id_pk" PRIMARY KEY("project_id","type","id")
);
--> statement-breakpoint
CREATE TABLE "people" (
	"project_id" text NOT NULL,
	"distinct_id" text NOT NULL,
	"traits" json DEFAULT '{}'::json NOT NULL,
	"trait_stamps" json DEFAULT '{}'::json NOT NULL,
	"groups" json DEFAULT '{}'::json NOT NULL,
	"group_stamps" json DEFAULT '{}'::json NOT NULL,
	"seen_on" date DEFAULT (now() at time zone 'utc')::date,
	CONSTRAINT "people_project_id_distinct_id_pk" PRIMARY KEY("project_id","distinct_id")
);
--> statement-breakpoint
CREATE TABLE "saved_reports" (
	"project_id" text NOT NULL,
	"report_id" text NOT NULL,
	"next_run_at" timestamp with time zone NOT NULL,
	"refresh" text,
	"claimed_until" timestamp with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "saved_reports_project_id_report_id_pk" PRIMARY KEY("project_id","report_id")
);
--> statement-breakpoint
CREATE INDEX "archive_files_by_time" ON "archive_files" USING btree ("project","last_occurred_at","first_occurred_at");--> statement-breakpoint
CREATE INDEX "archive_files_by_replaced" ON "archive_files" USING gin ("replaces");--> statement-breakpoint
CREATE INDEX "clickhouse_blocks_by_age" ON "clickhouse_blocks" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "groups_by_age" ON "groups" USING btree ("seen_on") WHERE "groups"."seen_on" is not null;--> statement-breakpoint
CREATE INDEX "people_by_age" ON "people" USING btree ("seen_on") WHERE "people"."seen_on" is not null;--> statement-breakpoint
CREATE INDEX "saved_reports_by_time" ON "saved_reports" USING btree ("next_run_at");
--> statement-breakpoint
ALTER TABLE "people" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, fillfactor = 90);
--> statement-breakpoint
ALTER TABLE "groups" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, fillfactor = 90);
