CREATE TABLE "cohort_states" (
	"project_id" text NOT NULL,
	"cohort_id" text NOT NULL,
	"members" integer,
	"failure" text,
	"compared_at" timestamp (3) with time zone,
	CONSTRAINT "cohort_states_project_id_cohort_id_pk" PRIMARY KEY("project_id","cohort_id")
);
--> statement-breakpoint
CREATE TABLE "published_watches" (
	"log_partition" integer PRIMARY KEY NOT NULL,
	"next_offset" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "unpublished_watches" (
	"project_id" text PRIMARY KEY NOT NULL,
	"revision" bigserial NOT NULL
);
--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "cohorts" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
CREATE INDEX "unpublished_watches_by_revision" ON "unpublished_watches" USING btree ("revision");