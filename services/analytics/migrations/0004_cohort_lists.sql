CREATE TABLE "cohort_lists" (
	"project_id" text NOT NULL,
	"cohort_id" text NOT NULL,
	"did" jsonb NOT NULL,
	"combine" text NOT NULL,
	"list" json NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"claimed_until" timestamp with time zone,
	CONSTRAINT "cohort_lists_project_id_cohort_id_pk" PRIMARY KEY("project_id","cohort_id")
);
--> statement-breakpoint
CREATE TABLE "cohort_parts" (
	"project_id" text NOT NULL,
	"cohort_id" text NOT NULL,
	"prefix" text NOT NULL,
	"members" jsonb NOT NULL,
	"digest" text NOT NULL,
	CONSTRAINT "cohort_parts_project_id_cohort_id_prefix_pk" PRIMARY KEY("project_id","cohort_id","prefix")
);
--> statement-breakpoint
CREATE TABLE "published_cohort_parts" (
	"log_partition" integer PRIMARY KEY NOT NULL,
	"next_offset" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "unpublished_cohort_parts" (
	"project_id" text NOT NULL,
	"cohort_id" text NOT NULL,
	"prefix" text NOT NULL,
	"revision" bigserial NOT NULL,
	CONSTRAINT "unpublished_cohort_parts_project_id_cohort_id_prefix_pk" PRIMARY KEY("project_id","cohort_id","prefix")
);
--> statement-breakpoint
CREATE INDEX "cohort_lists_by_time" ON "cohort_lists" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "unpublished_cohort_parts_by_revision" ON "unpublished_cohort_parts" USING btree ("revision");
--> statement-breakpoint
ALTER TABLE "unpublished_cohort_parts" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, vacuum_truncate = false);
