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
CREATE TABLE "persons" (
	"project_id" text NOT NULL,
	"person_id" text NOT NULL,
	"ids" text[] NOT NULL,
	"traits" json DEFAULT '{}'::json NOT NULL,
	"trait_stamps" json DEFAULT '{}'::json NOT NULL,
	"groups" json DEFAULT '{}'::json NOT NULL,
	"group_stamps" json DEFAULT '{}'::json NOT NULL,
	"seen_on" date NOT NULL,
	CONSTRAINT "persons_project_id_person_id_pk" PRIMARY KEY("project_id","person_id")
);
--> statement-breakpoint
CREATE TABLE "published_people" (
	"log_partition" integer PRIMARY KEY NOT NULL,
	"next_offset" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "unpublished_people" (
	"project_id" text NOT NULL,
	"distinct_id" text NOT NULL,
	"revision" bigserial NOT NULL,
	CONSTRAINT "unpublished_people_project_id_distinct_id_pk" PRIMARY KEY("project_id","distinct_id")
);
--> statement-breakpoint
CREATE INDEX "identities_by_claim" ON "identities" USING btree ("project_id","claimed_by") WHERE "identities"."claimed_by" is not null;--> statement-breakpoint
CREATE INDEX "identities_by_colleague" ON "identities" USING btree ("decided_by") WHERE "identities"."decided_by" is not null;--> statement-breakpoint
CREATE INDEX "persons_by_age" ON "persons" USING btree ("seen_on");--> statement-breakpoint
CREATE INDEX "unpublished_people_by_revision" ON "unpublished_people" USING btree ("revision");
--> statement-breakpoint
ALTER TABLE "identities" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, fillfactor = 90);
--> statement-breakpoint
ALTER TABLE "persons" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, fillfactor = 90);
--> statement-breakpoint
ALTER TABLE "unpublished_people" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, vacuum_truncate = false);
--> statement-breakpoint
-- A change of one id, or of a cohort that lists it, is one of all ids of the person.
CREATE OR REPLACE FUNCTION "announce_people"() RETURNS trigger LANGUAGE plpgsql AS $$
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
-- contract: the table is new, and the running version does not write it
CREATE TRIGGER "persons_inserted" AFTER INSERT ON "persons" REFERENCING NEW TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_persons"();
--> statement-breakpoint
-- contract: the table is new, and the running version does not write it
CREATE TRIGGER "persons_updated" AFTER UPDATE ON "persons" REFERENCING NEW TABLE AS changed OLD TABLE AS before
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_changed_persons"();
--> statement-breakpoint
-- contract: the table is new, and the running version does not write it
CREATE TRIGGER "persons_deleted" AFTER DELETE ON "persons" REFERENCING OLD TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_persons"();
