CREATE TABLE "published_cohorts" (
	"log_partition" integer PRIMARY KEY NOT NULL,
	"next_offset" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "unpublished_cohorts" (
	"project_id" text NOT NULL,
	"cohort_id" text NOT NULL,
	"revision" bigserial NOT NULL,
	CONSTRAINT "unpublished_cohorts_project_id_cohort_id_pk" PRIMARY KEY("project_id","cohort_id")
);
--> statement-breakpoint
CREATE INDEX "unpublished_cohorts_by_revision" ON "unpublished_cohorts" USING btree ("revision");