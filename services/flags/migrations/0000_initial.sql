CREATE TABLE "applied_positions" (
	"topic" text NOT NULL,
	"partition" integer NOT NULL,
	"next_offset" bigint NOT NULL,
	"as_of" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "applied_positions_topic_partition_pk" PRIMARY KEY("topic","partition")
);
--> statement-breakpoint
CREATE TABLE "cohort_people" (
	"project_id" text NOT NULL,
	"distinct_id" text NOT NULL,
	"cohort_id" text NOT NULL,
	CONSTRAINT "cohort_people_project_id_distinct_id_cohort_id_pk" PRIMARY KEY("project_id","distinct_id","cohort_id")
);
--> statement-breakpoint
CREATE TABLE "cohorts" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"match" json,
	CONSTRAINT "cohorts_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "flag_versions" (
	"project_id" text NOT NULL,
	"key" text NOT NULL,
	"version" integer NOT NULL,
	"entry" json,
	"author" text,
	"reason" text,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "flag_versions_project_id_key_version_pk" PRIMARY KEY("project_id","key","version")
);
--> statement-breakpoint
CREATE TABLE "flags" (
	"project_id" text NOT NULL,
	"key" text NOT NULL,
	"entry" json NOT NULL,
	CONSTRAINT "flags_project_id_key_pk" PRIMARY KEY("project_id","key")
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
CREATE TABLE "published_cohorts" (
	"log_partition" integer PRIMARY KEY NOT NULL,
	"next_offset" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rulesets" (
	"project_id" text PRIMARY KEY NOT NULL,
	"changed_at" timestamp (3) with time zone DEFAULT 'epoch' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "scheduled_changes" (
	"id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"key" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"definition" json,
	"patch" json,
	"reason" text,
	"if_version" integer,
	"author" text,
	"token_id" text,
	"everywhere" boolean NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"failed_at" timestamp (3) with time zone,
	"failure" text
);
--> statement-breakpoint
CREATE TABLE "unpublished_cohorts" (
	"project_id" text NOT NULL,
	"cohort_id" text NOT NULL,
	"revision" bigserial NOT NULL,
	CONSTRAINT "unpublished_cohorts_project_id_cohort_id_pk" PRIMARY KEY("project_id","cohort_id")
);
--> statement-breakpoint
CREATE INDEX "cohort_people_by_cohort" ON "cohort_people" USING btree ("project_id","cohort_id");--> statement-breakpoint
CREATE INDEX "flag_versions_by_author" ON "flag_versions" USING btree ("author");--> statement-breakpoint
CREATE INDEX "groups_by_age" ON "groups" USING btree ("seen_on") WHERE "groups"."seen_on" is not null;--> statement-breakpoint
CREATE INDEX "people_by_age" ON "people" USING btree ("seen_on") WHERE "people"."seen_on" is not null;--> statement-breakpoint
CREATE INDEX "scheduled_changes_by_project" ON "scheduled_changes" USING btree ("project_id","at","id");--> statement-breakpoint
CREATE INDEX "scheduled_changes_due" ON "scheduled_changes" USING btree ("at","id") WHERE "scheduled_changes"."failed_at" is null;--> statement-breakpoint
CREATE INDEX "scheduled_changes_by_author" ON "scheduled_changes" USING btree ("author");--> statement-breakpoint
CREATE INDEX "unpublished_cohorts_by_revision" ON "unpublished_cohorts" USING btree ("revision");
--> statement-breakpoint
ALTER TABLE "people" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, fillfactor = 90);
--> statement-breakpoint
ALTER TABLE "groups" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, fillfactor = 90);
--> statement-breakpoint
ALTER TABLE "unpublished_cohorts" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, vacuum_truncate = false);
--> statement-breakpoint
-- Announces whose user state has changed on channel user_state_changed (src/user-state/changes.ts): `p`, then the first 64 bits of the SHA-256 of up to 400 people; or `g`, then a project of which traits of groups have changed.
CREATE FUNCTION "announce_people"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_notify('user_state_changed', 'p' || string_agg(id, ' '))
	FROM (
		SELECT left(encode(sha256(convert_to(project_id || E'\n' || distinct_id, 'UTF8')), 'hex'), 16) AS id,
			(row_number() OVER () - 1) / 400 AS part
		FROM changed
	) AS numbered
	GROUP BY part;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION "announce_changed_people"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_notify('user_state_changed', 'p' || string_agg(id, ' '))
	FROM (
		SELECT left(encode(sha256(convert_to(project_id || E'\n' || distinct_id, 'UTF8')), 'hex'), 16) AS id,
			(row_number() OVER () - 1) / 400 AS part
		FROM changed JOIN before USING (project_id, distinct_id)
		WHERE changed.traits::text <> before.traits::text OR changed.groups::text <> before.groups::text
	) AS numbered
	GROUP BY part;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION "announce_groups"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_notify('user_state_changed', 'g' || project_id)
	FROM (SELECT DISTINCT project_id FROM changed) AS projects;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION "announce_changed_groups"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_notify('user_state_changed', 'g' || project_id)
	FROM (
		SELECT DISTINCT project_id
		FROM changed JOIN before USING (project_id, type, id)
		WHERE changed.traits::text <> before.traits::text
	) AS projects;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "people_inserted" AFTER INSERT ON "people" REFERENCING NEW TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_people"();
--> statement-breakpoint
CREATE TRIGGER "people_updated" AFTER UPDATE ON "people" REFERENCING NEW TABLE AS changed OLD TABLE AS before
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_changed_people"();
--> statement-breakpoint
CREATE TRIGGER "people_deleted" AFTER DELETE ON "people" REFERENCING OLD TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_people"();
--> statement-breakpoint
CREATE TRIGGER "groups_inserted" AFTER INSERT ON "groups" REFERENCING NEW TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_groups"();
--> statement-breakpoint
CREATE TRIGGER "groups_updated" AFTER UPDATE ON "groups" REFERENCING NEW TABLE AS changed OLD TABLE AS before
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_changed_groups"();
--> statement-breakpoint
CREATE TRIGGER "groups_deleted" AFTER DELETE ON "groups" REFERENCING OLD TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_groups"();
--> statement-breakpoint
CREATE TRIGGER "cohort_people_inserted" AFTER INSERT ON "cohort_people" REFERENCING NEW TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_people"();
--> statement-breakpoint
CREATE TRIGGER "cohort_people_deleted" AFTER DELETE ON "cohort_people" REFERENCING OLD TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_people"();
