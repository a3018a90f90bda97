CREATE TABLE "alert_incidents" (
	"id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"alert_id" text NOT NULL,
	"started_bucket" text NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"value" double precision,
	"expected" double precision,
	"ended_at" timestamp (3) with time zone,
	"ended" text,
	"sent" boolean NOT NULL
);
--> statement-breakpoint
CREATE TABLE "alerts" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"definition" json NOT NULL,
	"enabled" boolean NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"is_firing" boolean DEFAULT false NOT NULL,
	"streak" integer DEFAULT 0 NOT NULL,
	"evaluated_bucket" text,
	"value" double precision,
	"error" text,
	"snoozed_until" timestamp (3) with time zone,
	"next_at" timestamp (3) with time zone NOT NULL,
	"claimed_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "alerts_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
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
CREATE TABLE "cohort_lists" (
	"project_id" text NOT NULL,
	"cohort_id" text NOT NULL,
	"did" jsonb NOT NULL,
	"combine" text NOT NULL,
	"list" json NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"claimed_until" timestamp with time zone,
	CONSTRAINT "cohort_lists_project_id_cohort_id_pk" PRIMARY KEY("project_id","cohort_id")
);
--> statement-breakpoint
CREATE TABLE "cohort_parts" (
	"project_id" text NOT NULL,
	"cohort_id" text NOT NULL,
	"prefix" text NOT NULL,
	"members" jsonb NOT NULL,
	"digest" text NOT NULL,
	CONSTRAINT "cohort_parts_project_id_cohort_id_prefix_pk" PRIMARY KEY("project_id","cohort_id","prefix")
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
CREATE TABLE "dictionary" (
	"project_id" text NOT NULL,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"owner" text,
	"hidden" boolean NOT NULL,
	"verified" boolean NOT NULL,
	CONSTRAINT "dictionary_project_id_kind_name_pk" PRIMARY KEY("project_id","kind","name")
);
--> statement-breakpoint
CREATE TABLE "group_members" (
	"project_id" text NOT NULL,
	"type" text NOT NULL,
	"id" text NOT NULL,
	"person_id" text NOT NULL,
	CONSTRAINT "group_members_project_id_type_id_person_id_pk" PRIMARY KEY("project_id","type","id","person_id")
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
CREATE TABLE "known_groups" (
	"project_id" text NOT NULL,
	"type" text NOT NULL,
	"id" text NOT NULL,
	"members" integer DEFAULT 0 NOT NULL,
	"first_seen_at" timestamp (0) with time zone NOT NULL,
	"last_seen_at" timestamp (0) with time zone NOT NULL,
	CONSTRAINT "known_groups_project_id_type_id_pk" PRIMARY KEY("project_id","type","id")
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
CREATE TABLE "person_id_changes" (
	"project_id" text NOT NULL,
	"version" bigint NOT NULL,
	"distinct_id" text NOT NULL,
	CONSTRAINT "person_id_changes_project_id_version_pk" PRIMARY KEY("project_id","version")
);
--> statement-breakpoint
CREATE TABLE "person_ids" (
	"project_id" text NOT NULL,
	"distinct_id" text NOT NULL,
	"person_id" text NOT NULL,
	"joined_at" timestamp (3) with time zone NOT NULL,
	"joined_by" json NOT NULL,
	CONSTRAINT "person_ids_project_id_distinct_id_pk" PRIMARY KEY("project_id","distinct_id")
);
--> statement-breakpoint
CREATE TABLE "person_maps" (
	"project_id" text PRIMARY KEY NOT NULL,
	"version" bigint NOT NULL,
	"complete_after" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "published_cohort_parts" (
	"log_partition" integer PRIMARY KEY NOT NULL,
	"next_offset" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rejections" (
	"project_id" text NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"operation" text NOT NULL,
	"status" integer NOT NULL,
	"reason" text NOT NULL,
	"requests" bigint NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "rejections_project_id_hour_operation_status_reason_pk" PRIMARY KEY("project_id","hour","operation","status","reason")
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
CREATE TABLE "seen_people" (
	"project_id" text NOT NULL,
	"distinct_id" text NOT NULL,
	"first_seen_at" timestamp (0) with time zone NOT NULL,
	"last_seen_at" timestamp (0) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "uncounted_ids" (
	"revision" bigserial PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"distinct_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "unpublished_alerts" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"record" json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "unpublished_cohort_parts" (
	"project_id" text NOT NULL,
	"cohort_id" text NOT NULL,
	"prefix" text NOT NULL,
	"revision" bigserial NOT NULL,
	CONSTRAINT "unpublished_cohort_parts_project_id_cohort_id_prefix_pk" PRIMARY KEY("project_id","cohort_id","prefix")
);
--> statement-breakpoint
ALTER TABLE "alert_incidents" ADD CONSTRAINT "alert_incidents_project_id_alert_id_alerts_project_id_id_fk" FOREIGN KEY ("project_id","alert_id") REFERENCES "public"."alerts"("project_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "alert_incidents_of_alert" ON "alert_incidents" USING btree ("project_id","alert_id","id");
--> statement-breakpoint
CREATE INDEX "alerts_by_time" ON "alerts" USING btree ("next_at");
--> statement-breakpoint
CREATE INDEX "archive_files_by_time" ON "archive_files" USING btree ("project","last_occurred_at","first_occurred_at");
--> statement-breakpoint
CREATE INDEX "archive_files_by_replaced" ON "archive_files" USING gin ("replaces");
--> statement-breakpoint
CREATE INDEX "clickhouse_blocks_by_age" ON "clickhouse_blocks" USING btree ("created_at");
--> statement-breakpoint
CREATE INDEX "cohort_lists_by_time" ON "cohort_lists" USING btree ("due_at");
--> statement-breakpoint
CREATE INDEX "dictionary_by_owner" ON "dictionary" USING btree ("owner");
--> statement-breakpoint
CREATE INDEX "group_members_by_person" ON "group_members" USING btree ("project_id","person_id");
--> statement-breakpoint
CREATE INDEX "groups_by_age" ON "groups" USING btree ("seen_on") WHERE "groups"."seen_on" is not null;
--> statement-breakpoint
CREATE INDEX "known_groups_by_id" ON "known_groups" USING btree ("project_id","id" text_pattern_ops);
--> statement-breakpoint
CREATE INDEX "known_groups_by_last" ON "known_groups" USING btree ("project_id","last_seen_at","type","id");
--> statement-breakpoint
CREATE INDEX "known_groups_by_members" ON "known_groups" USING btree ("project_id","members","type","id");
--> statement-breakpoint
CREATE INDEX "known_groups_by_age" ON "known_groups" USING btree ("last_seen_at") WHERE "known_groups"."members" = 0;
--> statement-breakpoint
CREATE INDEX "people_by_age" ON "people" USING btree ("seen_on") WHERE "people"."seen_on" is not null;
--> statement-breakpoint
CREATE INDEX "person_ids_by_person" ON "person_ids" USING btree ("project_id","person_id");
--> statement-breakpoint
CREATE INDEX "rejections_by_hour" ON "rejections" USING btree ("hour");
--> statement-breakpoint
CREATE INDEX "saved_reports_by_time" ON "saved_reports" USING btree ("next_run_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "seen_people_by_id" ON "seen_people" USING btree ("project_id","distinct_id" text_pattern_ops);
--> statement-breakpoint
CREATE INDEX "seen_people_by_last" ON "seen_people" USING btree ("project_id","last_seen_at","distinct_id");
--> statement-breakpoint
CREATE INDEX "seen_people_by_first" ON "seen_people" USING btree ("project_id","first_seen_at","distinct_id");
--> statement-breakpoint
CREATE INDEX "unpublished_cohort_parts_by_revision" ON "unpublished_cohort_parts" USING btree ("revision");
--> statement-breakpoint
ALTER TABLE "people" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, fillfactor = 90);
--> statement-breakpoint
ALTER TABLE "groups" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, fillfactor = 90);
--> statement-breakpoint
CREATE INDEX "people_by_name" ON "people" USING btree ("project_id",lower(left("traits"->>'name', 200)) text_pattern_ops) WHERE "traits"->>'name' is not null;
--> statement-breakpoint
CREATE INDEX "people_by_email" ON "people" USING btree ("project_id",lower(left("traits"->>'email', 200)) text_pattern_ops) WHERE "traits"->>'email' is not null;
--> statement-breakpoint
ALTER TABLE "unpublished_cohort_parts" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, vacuum_truncate = false);
--> statement-breakpoint
ALTER TABLE "known_groups" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, fillfactor = 90);
--> statement-breakpoint
ALTER TABLE "uncounted_ids" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, vacuum_truncate = false);
--> statement-breakpoint
-- Queues the ids of which the groups or the person change, for src/group-members/store.ts.
CREATE FUNCTION "queue_people"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO uncounted_ids (project_id, distinct_id)
	SELECT project_id, distinct_id FROM changed WHERE groups::text <> '{}';
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION "queue_changed_people"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO uncounted_ids (project_id, distinct_id)
	SELECT project_id, distinct_id FROM changed JOIN before USING (project_id, distinct_id)
	WHERE changed.groups::text <> before.groups::text;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION "queue_persons"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO uncounted_ids (project_id, distinct_id)
	SELECT project_id, unnest(array[distinct_id, person_id]) FROM changed;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION "queue_changed_persons"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO uncounted_ids (project_id, distinct_id)
	SELECT project_id, unnest(array[distinct_id, changed.person_id, before.person_id])
	FROM changed JOIN before USING (project_id, distinct_id)
	WHERE changed.person_id <> before.person_id;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "people_groups_inserted" AFTER INSERT ON "people" REFERENCING NEW TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "queue_people"();
--> statement-breakpoint
CREATE TRIGGER "people_groups_updated" AFTER UPDATE ON "people" REFERENCING NEW TABLE AS changed OLD TABLE AS before
	FOR EACH STATEMENT EXECUTE FUNCTION "queue_changed_people"();
--> statement-breakpoint
CREATE TRIGGER "people_groups_deleted" AFTER DELETE ON "people" REFERENCING OLD TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "queue_people"();
--> statement-breakpoint
CREATE TRIGGER "person_ids_inserted" AFTER INSERT ON "person_ids" REFERENCING NEW TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "queue_persons"();
--> statement-breakpoint
CREATE TRIGGER "person_ids_updated" AFTER UPDATE ON "person_ids" REFERENCING NEW TABLE AS changed OLD TABLE AS before
	FOR EACH STATEMENT EXECUTE FUNCTION "queue_changed_persons"();
--> statement-breakpoint
CREATE TRIGGER "person_ids_deleted" AFTER DELETE ON "person_ids" REFERENCING OLD TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "queue_persons"();
--> statement-breakpoint
CREATE INDEX "groups_by_name" ON "groups" USING btree ("project_id",lower(left("traits"->>'name', 200)) text_pattern_ops) WHERE "traits"->>'name' is not null;
