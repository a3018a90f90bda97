CREATE SCHEMA "event_log";
--> statement-breakpoint
CREATE TABLE "event_log"."topics" (
	"name" text PRIMARY KEY,
	"partitions" integer NOT NULL,
	"next_partitions" integer,
	"cleanup" text NOT NULL CHECK ("cleanup" IN ('delete', 'compact')),
	"retention_ms" bigint,
	"tombstone_retention_ms" bigint
);
--> statement-breakpoint
CREATE TABLE "event_log"."partitions" (
	"topic" text NOT NULL REFERENCES "event_log"."topics" ("name"),
	"partition" integer NOT NULL,
	"next_offset" bigint DEFAULT 0 NOT NULL,
	"compacted_to" bigint DEFAULT 0 NOT NULL,
	PRIMARY KEY ("topic", "partition")
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE "event_log"."records" (
	"topic" text NOT NULL,
	"partition" integer NOT NULL,
	"offset" bigint NOT NULL,
	"key" text,
	"value" bytea,
	"headers" jsonb NOT NULL,
	"timestamp" bigint NOT NULL,
	"bytes" integer NOT NULL,
	"compacted" boolean NOT NULL,
	PRIMARY KEY ("topic", "partition", "offset")
);
--> statement-breakpoint
CREATE INDEX "records_by_key" ON "event_log"."records" ("topic", "partition", "key", "offset") WHERE "compacted";
--> statement-breakpoint
CREATE INDEX "records_tombstones" ON "event_log"."records" ("topic", "partition", "offset") WHERE "compacted" AND "value" IS NULL;
--> statement-breakpoint
CREATE TABLE "event_log"."group_members" (
	"group" text NOT NULL,
	"member" uuid NOT NULL,
	"topics" jsonb NOT NULL,
	"lease_until" timestamp with time zone NOT NULL,
	PRIMARY KEY ("group", "member")
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE "event_log"."group_partitions" (
	"group" text NOT NULL,
	"topic" text NOT NULL,
	"partition" integer NOT NULL,
	"committed" bigint,
	"owner" uuid,
	"epoch" bigint DEFAULT 0 NOT NULL,
	"lease_until" timestamp with time zone,
	PRIMARY KEY ("group", "topic", "partition")
) WITH (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE "event_log"."records" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
