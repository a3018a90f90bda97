-- What both tables have becomes their first partition as it is, without being written again; it is dropped after eight days.
-- PostgreSQL reads it once to check its day, while archiving waits.
CREATE TABLE "seen_days" (
	"day" date PRIMARY KEY NOT NULL
);
--> statement-breakpoint
INSERT INTO "seen_days" SELECT (now() at time zone 'utc')::date - "back" FROM generate_series(0, 1) AS "back";
--> statement-breakpoint
-- contract: the running version writes it by its default alone, and reads it to delete old rows
ALTER TABLE "seen_events" DROP COLUMN "seen_at";
--> statement-breakpoint
ALTER TABLE "seen_events" ADD COLUMN "day" date DEFAULT ((now() at time zone 'utc')::date - 1) NOT NULL;
--> statement-breakpoint
-- contract: a table of that name follows, to which the running version can write
ALTER TABLE "seen_events" RENAME TO "seen_events_before";
--> statement-breakpoint
CREATE TABLE "seen_events" (
	"event_key" uuid NOT NULL,
	"log_offset" bigint NOT NULL,
	"accepted_at" timestamp(3) with time zone NOT NULL,
	"log_partition" integer NOT NULL,
	"log_line" integer NOT NULL,
	"day" date DEFAULT (now() at time zone 'utc')::date NOT NULL
) PARTITION BY LIST ("day");
--> statement-breakpoint
ALTER TABLE "seen_events" ATTACH PARTITION "seen_events_before" FOR VALUES IN ((now() at time zone 'utc')::date - 1);
--> statement-breakpoint
-- A primary key of each partition, since one of all would have the day in it as well.
CREATE TABLE "seen_events_first" PARTITION OF "seen_events" (PRIMARY KEY ("event_key"))
	FOR VALUES IN ((now() at time zone 'utc')::date) WITH (autovacuum_vacuum_insert_threshold = -1);
--> statement-breakpoint
-- contract: the running version writes it by its default alone, and reads it to delete old rows
ALTER TABLE "duplicate_events" DROP COLUMN "seen_at";
--> statement-breakpoint
ALTER TABLE "duplicate_events" ADD COLUMN "day" date DEFAULT ((now() at time zone 'utc')::date - 1) NOT NULL;
--> statement-breakpoint
-- contract: a table of that name follows, to which the running version can write
ALTER TABLE "duplicate_events" RENAME TO "duplicate_events_before";
--> statement-breakpoint
CREATE TABLE "duplicate_events" (
	"event_key" uuid NOT NULL,
	"log_offset" bigint NOT NULL,
	"accepted_at" timestamp(3) with time zone NOT NULL,
	"log_partition" integer NOT NULL,
	"log_line" integer NOT NULL,
	"day" date DEFAULT (now() at time zone 'utc')::date NOT NULL
) PARTITION BY LIST ("day");
--> statement-breakpoint
ALTER TABLE "duplicate_events" ATTACH PARTITION "duplicate_events_before" FOR VALUES IN ((now() at time zone 'utc')::date - 1);
--> statement-breakpoint
CREATE TABLE "duplicate_events_first" PARTITION OF "duplicate_events" (PRIMARY KEY ("event_key", "log_partition", "log_offset", "log_line"))
	FOR VALUES IN ((now() at time zone 'utc')::date) WITH (autovacuum_vacuum_insert_threshold = -1);
