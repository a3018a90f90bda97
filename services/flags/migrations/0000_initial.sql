CREATE TABLE "applied_positions" (
	"topic" text NOT NULL,
	"partition" integer NOT NULL,
	"next_offset" bigint NOT NULL,
	"as_of" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "applied_positions_topic_partition_pk" PRIMARY KEY("topic","partition")
);
--> statement-breakpoint
CREATE TABLE "change_approvals" (
	"request_id" text NOT NULL,
	"sub" text NOT NULL,
	"token_id" text,
	"everywhere" boolean NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "change_approvals_request_id_sub_pk" PRIMARY KEY("request_id","sub")
);
--> statement-breakpoint
CREATE TABLE "change_requests" (
	"id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"key" text NOT NULL,
	"version" integer NOT NULL,
	"before" json,
	"after" json,
	"at" timestamp (3) with time zone,
	"patch" json,
	"reason" text,
	"author" text,
	"token_id" text,
	"everywhere" boolean NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"closed_as" text,
	"closed_at" timestamp (3) with time zone,
	"closed_by" text,
	"note" text
);
--> statement-breakpoint
CREATE TABLE "cohort_members" (
	"project_id" text NOT NULL,
	"distinct_id" text NOT NULL,
	"cohort_id" text NOT NULL,
	CONSTRAINT "cohort_members_project_id_distinct_id_cohort_id_pk" PRIMARY KEY("project_id","distinct_id","cohort_id")
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
	"did" json,
	"combine" text,
	"list" json,
	CONSTRAINT "cohorts_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "flag_seen" (
	"project_id" text NOT NULL,
	"key" text NOT NULL,
	"variation" text NOT NULL,
	"first_at" timestamp (3) with time zone NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "flag_seen_project_id_key_variation_pk" PRIMARY KEY("project_id","key","variation")
);
--> statement-breakpoint
CREATE TABLE "flag_usage_days" (
	"project_id" text NOT NULL,
	"key" text NOT NULL,
	"variation" text NOT NULL,
	"day" date NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "flag_usage_days_project_id_key_day_variation_pk" PRIMARY KEY("project_id","key","day","variation")
);
--> statement-breakpoint
CREATE TABLE "flag_usage_hours" (
	"project_id" text NOT NULL,
	"key" text NOT NULL,
	"variation" text NOT NULL,
	"day" date NOT NULL,
	"counts" bigint[] NOT NULL,
	CONSTRAINT "flag_usage_hours_project_id_key_day_variation_pk" PRIMARY KEY("project_id","key","day","variation")
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
	"approved_by" text[],
	"is_emergency" boolean DEFAULT false NOT NULL,
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
CREATE TABLE "identities" (
	"project_id" text NOT NULL,
	"distinct_id" text NOT NULL,
	"is_known" boolean DEFAULT false NOT NULL,
	"claimed_at" bigint,
	"claimed_by" text,
	"is_beyond_bound" boolean DEFAULT false NOT NULL,
	"decided_at" bigint,
	"decided_to" text,
	"decided_for" text,
	"decided_by" text,
	"was_alone" boolean DEFAULT false NOT NULL,
	"person_id" text,
	CONSTRAINT "identities_project_id_distinct_id_pk" PRIMARY KEY("project_id","distinct_id")
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
CREATE TABLE "persons" (
	"project_id" text NOT NULL,
	"person_id" text NOT NULL,
	"ids" text[] NOT NULL,
	"ids_count" integer GENERATED ALWAYS AS (cardinality(ids)) STORED NOT NULL,
	"traits" json DEFAULT '{}'::json NOT NULL,
	"trait_stamps" json DEFAULT '{}'::json NOT NULL,
	"groups" json DEFAULT '{}'::json NOT NULL,
	"group_stamps" json DEFAULT '{}'::json NOT NULL,
	"seen_on" date NOT NULL,
	CONSTRAINT "persons_project_id_person_id_pk" PRIMARY KEY("project_id","person_id")
);
--> statement-breakpoint
CREATE TABLE "published_cohorts" (
	"log_partition" integer PRIMARY KEY NOT NULL,
	"next_offset" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "published_people" (
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
	"approved_by" text[],
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
CREATE TABLE "unpublished_people" (
	"project_id" text NOT NULL,
	"distinct_id" text NOT NULL,
	"revision" bigserial NOT NULL,
	CONSTRAINT "unpublished_people_project_id_distinct_id_pk" PRIMARY KEY("project_id","distinct_id")
);
--> statement-breakpoint
ALTER TABLE "change_approvals" ADD CONSTRAINT "change_approvals_request_id_change_requests_id_fk" FOREIGN KEY ("request_id") REFERENCES "public"."change_requests"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "flag_seen" ADD CONSTRAINT "flag_seen_project_id_key_flags_project_id_key_fk" FOREIGN KEY ("project_id","key") REFERENCES "public"."flags"("project_id","key") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "flag_usage_days" ADD CONSTRAINT "flag_usage_days_project_id_key_flags_project_id_key_fk" FOREIGN KEY ("project_id","key") REFERENCES "public"."flags"("project_id","key") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "flag_usage_hours" ADD CONSTRAINT "flag_usage_hours_project_id_key_flags_project_id_key_fk" FOREIGN KEY ("project_id","key") REFERENCES "public"."flags"("project_id","key") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "change_approvals_by_sub" ON "change_approvals" USING btree ("sub");
--> statement-breakpoint
CREATE INDEX "change_requests_by_project" ON "change_requests" USING btree ("project_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "change_requests_waiting" ON "change_requests" USING btree ("project_id","key") WHERE "change_requests"."closed_as" is null;
--> statement-breakpoint
CREATE INDEX "change_requests_by_author" ON "change_requests" USING btree ("author");
--> statement-breakpoint
CREATE INDEX "change_requests_by_closer" ON "change_requests" USING btree ("closed_by");
--> statement-breakpoint
CREATE INDEX "cohort_members_by_prefix" ON "cohort_members" USING btree ("project_id","cohort_id",(left(md5("distinct_id"), 4) collate "C"));
--> statement-breakpoint
CREATE INDEX "cohort_people_by_cohort" ON "cohort_people" USING btree ("project_id","cohort_id");
--> statement-breakpoint
CREATE INDEX "flag_usage_days_by_day" ON "flag_usage_days" USING btree ("day","project_id");
--> statement-breakpoint
CREATE INDEX "flag_usage_hours_by_day" ON "flag_usage_hours" USING btree ("day");
--> statement-breakpoint
CREATE INDEX "flag_versions_by_author" ON "flag_versions" USING btree ("author");
--> statement-breakpoint
CREATE INDEX "flag_versions_by_approver" ON "flag_versions" USING gin ("approved_by") WHERE "flag_versions"."approved_by" is not null;
--> statement-breakpoint
CREATE INDEX "groups_by_age" ON "groups" USING btree ("seen_on") WHERE "groups"."seen_on" is not null;
--> statement-breakpoint
CREATE INDEX "identities_by_claim" ON "identities" USING btree ("project_id","claimed_by") WHERE "identities"."claimed_by" is not null;
--> statement-breakpoint
CREATE INDEX "identities_by_colleague" ON "identities" USING btree ("decided_by") WHERE "identities"."decided_by" is not null;
--> statement-breakpoint
CREATE INDEX "people_by_age" ON "people" USING btree ("seen_on") WHERE "people"."seen_on" is not null;
--> statement-breakpoint
CREATE INDEX "persons_by_age" ON "persons" USING btree ("seen_on");
--> statement-breakpoint
CREATE INDEX "scheduled_changes_by_project" ON "scheduled_changes" USING btree ("project_id","at","id");
--> statement-breakpoint
CREATE INDEX "scheduled_changes_due" ON "scheduled_changes" USING btree ("at","id") WHERE "scheduled_changes"."failed_at" is null;
--> statement-breakpoint
CREATE INDEX "scheduled_changes_by_author" ON "scheduled_changes" USING btree ("author");
--> statement-breakpoint
CREATE INDEX "scheduled_changes_by_approver" ON "scheduled_changes" USING gin ("approved_by") WHERE "scheduled_changes"."approved_by" is not null;
--> statement-breakpoint
CREATE INDEX "unpublished_cohorts_by_revision" ON "unpublished_cohorts" USING btree ("revision");
--> statement-breakpoint
CREATE INDEX "unpublished_people_by_revision" ON "unpublished_people" USING btree ("revision");
--> statement-breakpoint
ALTER TABLE "people" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, fillfactor = 90);
--> statement-breakpoint
ALTER TABLE "groups" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, fillfactor = 90);
--> statement-breakpoint
ALTER TABLE "unpublished_cohorts" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, vacuum_truncate = false);
--> statement-breakpoint
-- A change of one id, or of a cohort that lists it, is one of all ids of the person.
CREATE FUNCTION "announce_people"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_notify('user_state_changed', 'p' || string_agg(id, ' '))
	FROM (
		SELECT left(encode(sha256(convert_to(project_id || E'\n' || person_ids.distinct_id, 'UTF8')), 'hex'), 16) AS id,
			(row_number() OVER () - 1) / 400 AS part
		FROM changed, unnest(coalesce((
			SELECT persons.ids FROM identities JOIN persons USING (project_id, person_id)
			WHERE identities.project_id = changed.project_id AND identities.distinct_id = changed.distinct_id
		), ARRAY[changed.distinct_id])) AS person_ids(distinct_id)
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
--> statement-breakpoint
CREATE TRIGGER "cohort_members_inserted" AFTER INSERT ON "cohort_members" REFERENCING NEW TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_people"();
--> statement-breakpoint
CREATE TRIGGER "cohort_members_deleted" AFTER DELETE ON "cohort_members" REFERENCING OLD TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_people"();
--> statement-breakpoint
ALTER TABLE "identities" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, fillfactor = 90);
--> statement-breakpoint
ALTER TABLE "persons" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, fillfactor = 90);
--> statement-breakpoint
ALTER TABLE "unpublished_people" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, vacuum_truncate = false);
--> statement-breakpoint
CREATE FUNCTION "announce_persons"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_notify('user_state_changed', 'p' || string_agg(id, ' '))
	FROM (
		SELECT left(encode(sha256(convert_to(project_id || E'\n' || distinct_id, 'UTF8')), 'hex'), 16) AS id,
			(row_number() OVER () - 1) / 400 AS part
		FROM changed, unnest(changed.ids) AS person_ids(distinct_id)
	) AS numbered
	GROUP BY part;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION "announce_changed_persons"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_notify('user_state_changed', 'p' || string_agg(id, ' '))
	FROM (
		SELECT left(encode(sha256(convert_to(project_id || E'\n' || distinct_id, 'UTF8')), 'hex'), 16) AS id,
			(row_number() OVER () - 1) / 400 AS part
		FROM (
			SELECT DISTINCT project_id, distinct_id
			FROM changed JOIN before USING (project_id, person_id), unnest(changed.ids || before.ids) AS both_ids(distinct_id)
			WHERE changed.traits::text <> before.traits::text OR changed.groups::text <> before.groups::text
				OR changed.ids <> before.ids
		) AS named
	) AS numbered
	GROUP BY part;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "persons_inserted" AFTER INSERT ON "persons" REFERENCING NEW TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_persons"();
--> statement-breakpoint
CREATE TRIGGER "persons_updated" AFTER UPDATE ON "persons" REFERENCING NEW TABLE AS changed OLD TABLE AS before
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_changed_persons"();
--> statement-breakpoint
CREATE TRIGGER "persons_deleted" AFTER DELETE ON "persons" REFERENCING OLD TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_persons"();
