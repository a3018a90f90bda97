CREATE TABLE "group_members" (
	"project_id" text NOT NULL,
	"type" text NOT NULL,
	"id" text NOT NULL,
	"person_id" text NOT NULL,
	CONSTRAINT "group_members_project_id_type_id_person_id_pk" PRIMARY KEY("project_id","type","id","person_id")
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
CREATE TABLE "uncounted_ids" (
	"revision" bigserial PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"distinct_id" text NOT NULL
);
--> statement-breakpoint
CREATE INDEX "group_members_by_person" ON "group_members" USING btree ("project_id","person_id");--> statement-breakpoint
CREATE INDEX "known_groups_by_id" ON "known_groups" USING btree ("project_id","id" text_pattern_ops);--> statement-breakpoint
CREATE INDEX "known_groups_by_last" ON "known_groups" USING btree ("project_id","last_seen_at","type","id");--> statement-breakpoint
CREATE INDEX "known_groups_by_members" ON "known_groups" USING btree ("project_id","members","type","id");--> statement-breakpoint
CREATE INDEX "known_groups_by_age" ON "known_groups" USING btree ("last_seen_at") WHERE "known_groups"."members" = 0;
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
-- contract: the running version writes people as before, and each change is queued
CREATE TRIGGER "people_groups_inserted" AFTER INSERT ON "people" REFERENCING NEW TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "queue_people"();
--> statement-breakpoint
-- contract: as above
CREATE TRIGGER "people_groups_updated" AFTER UPDATE ON "people" REFERENCING NEW TABLE AS changed OLD TABLE AS before
	FOR EACH STATEMENT EXECUTE FUNCTION "queue_changed_people"();
--> statement-breakpoint
-- contract: as above
CREATE TRIGGER "people_groups_deleted" AFTER DELETE ON "people" REFERENCING OLD TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "queue_people"();
--> statement-breakpoint
-- contract: as above
CREATE TRIGGER "person_ids_inserted" AFTER INSERT ON "person_ids" REFERENCING NEW TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "queue_persons"();
--> statement-breakpoint
-- contract: as above
CREATE TRIGGER "person_ids_updated" AFTER UPDATE ON "person_ids" REFERENCING NEW TABLE AS changed OLD TABLE AS before
	FOR EACH STATEMENT EXECUTE FUNCTION "queue_changed_persons"();
--> statement-breakpoint
-- contract: as above
CREATE TRIGGER "person_ids_deleted" AFTER DELETE ON "person_ids" REFERENCING OLD TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "queue_persons"();
--> statement-breakpoint
INSERT INTO "uncounted_ids" ("project_id", "distinct_id")
SELECT "project_id", "distinct_id" FROM "people" WHERE "groups"::text <> '{}';
--> statement-breakpoint
-- brief: building the index takes about ten seconds for each million groups
CREATE INDEX "groups_by_name" ON "groups" USING btree ("project_id",lower(left("traits"->>'name', 200)) text_pattern_ops) WHERE "traits"->>'name' is not null;
