CREATE TABLE "backfills" (
	"name" text PRIMARY KEY NOT NULL,
	"position" json,
	"rows" bigint DEFAULT 0 NOT NULL,
	"next_at" timestamp with time zone DEFAULT now() NOT NULL,
	"done_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "groups" ADD COLUMN IF NOT EXISTS "seen_on" date;--> statement-breakpoint
ALTER TABLE "groups" ALTER COLUMN "seen_on" SET DEFAULT (now() at time zone 'utc')::date;--> statement-breakpoint
-- brief: it is empty until the backfill; the scan of a million rows takes about a second. With more, add column and index by hand before the upgrade.
CREATE INDEX IF NOT EXISTS "groups_by_age" ON "groups" USING btree ("seen_on") WHERE "groups"."seen_on" is not null;--> statement-breakpoint
ALTER TABLE "people" ADD COLUMN IF NOT EXISTS "seen_on" date;--> statement-breakpoint
ALTER TABLE "people" ALTER COLUMN "seen_on" SET DEFAULT (now() at time zone 'utc')::date;--> statement-breakpoint
-- brief: it is empty until the backfill; the scan of a million rows takes about a second. With more, add column and index by hand before the upgrade.
CREATE INDEX IF NOT EXISTS "people_by_age" ON "people" USING btree ("seen_on") WHERE "people"."seen_on" is not null;
