CREATE SCHEMA "directory";
--> statement-breakpoint
CREATE TABLE "directory"."applied" (
	"partition" integer PRIMARY KEY NOT NULL,
	"next_offset" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "directory"."done_erasures" (
	"id" text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "directory"."entries" (
	"kind" text NOT NULL,
	"id" text NOT NULL,
	"value" text,
	"revision" bigint NOT NULL,
	CONSTRAINT "entries_kind_id_pk" PRIMARY KEY("kind","id")
);
--> statement-breakpoint
CREATE TABLE "directory"."replica" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"id" text DEFAULT encode(uuid_send(gen_random_uuid()), 'hex') NOT NULL,
	"bootstrapped_at" timestamp with time zone,
	"caught_up_at" timestamp with time zone,
	CONSTRAINT "one_row" CHECK ("directory"."replica"."only")
);
--> statement-breakpoint
CREATE INDEX "entries_open_erasures" ON "directory"."entries" USING btree ("id") WHERE "directory"."entries"."kind" = 'erasure' and "directory"."entries"."value" is not null;--> statement-breakpoint
CREATE INDEX "entries_members_by_sub" ON "directory"."entries" USING btree (split_part("id", '/', 2)) WHERE "directory"."entries"."kind" = 'member' and "directory"."entries"."value" is not null;
--> statement-breakpoint
ALTER TABLE "directory"."entries" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
