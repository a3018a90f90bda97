CREATE TABLE "applied_positions" (
	"topic" text NOT NULL,
	"partition" integer NOT NULL,
	"next_offset" bigint NOT NULL,
	"as_of" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "applied_positions_topic_partition_pk" PRIMARY KEY("topic","partition")
);
--> statement-breakpoint
CREATE TABLE "cohorts" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"match" json NOT NULL,
	"distinct_ids" text[] NOT NULL,
	"is_too_large" boolean NOT NULL,
	CONSTRAINT "cohorts_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "groups" (
	"project_id" text NOT NULL,
	"type" text NOT NULL,
	"id" text NOT NULL,
	"traits" json DEFAULT '{}'::json NOT NULL,
	"trait_stamps" json DEFAULT '{}'::json NOT NULL,
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
	CONSTRAINT "people_project_id_distinct_id_pk" PRIMARY KEY("project_id","distinct_id")
);
