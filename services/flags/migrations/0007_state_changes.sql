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
END $$;--> statement-breakpoint
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
END $$;--> statement-breakpoint
CREATE FUNCTION "announce_groups"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_notify('user_state_changed', 'g' || project_id)
	FROM (SELECT DISTINCT project_id FROM changed) AS projects;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION "announce_changed_groups"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_notify('user_state_changed', 'g' || project_id)
	FROM (
		SELECT DISTINCT project_id
		FROM changed JOIN before USING (project_id, type, id)
		WHERE changed.traits::text <> before.traits::text
	) AS projects;
	RETURN NULL;
END $$;--> statement-breakpoint
-- contract: it only announces what the running version writes
CREATE TRIGGER "people_inserted" AFTER INSERT ON "people" REFERENCING NEW TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_people"();--> statement-breakpoint
-- contract: it only announces what the running version writes
CREATE TRIGGER "people_updated" AFTER UPDATE ON "people" REFERENCING NEW TABLE AS changed OLD TABLE AS before
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_changed_people"();--> statement-breakpoint
-- contract: it only announces what the running version writes
CREATE TRIGGER "people_deleted" AFTER DELETE ON "people" REFERENCING OLD TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_people"();--> statement-breakpoint
-- contract: it only announces what the running version writes
CREATE TRIGGER "groups_inserted" AFTER INSERT ON "groups" REFERENCING NEW TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_groups"();--> statement-breakpoint
-- contract: it only announces what the running version writes
CREATE TRIGGER "groups_updated" AFTER UPDATE ON "groups" REFERENCING NEW TABLE AS changed OLD TABLE AS before
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_changed_groups"();--> statement-breakpoint
-- contract: it only announces what the running version writes
CREATE TRIGGER "groups_deleted" AFTER DELETE ON "groups" REFERENCING OLD TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_groups"();--> statement-breakpoint
-- contract: it only announces what the running version writes
CREATE TRIGGER "cohort_people_inserted" AFTER INSERT ON "cohort_people" REFERENCING NEW TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_people"();--> statement-breakpoint
-- contract: it only announces what the running version writes
CREATE TRIGGER "cohort_people_deleted" AFTER DELETE ON "cohort_people" REFERENCING OLD TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_people"();
