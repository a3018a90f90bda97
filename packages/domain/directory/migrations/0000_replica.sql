CREATE SCHEMA "directory";
--> statement-breakpoint
CREATE TABLE "directory"."applied" (
	"partition" integer PRIMARY KEY NOT NULL,
	"next_offset" bigint NOT NULL
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
