CREATE TABLE "unpublished_cohort_changes" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"record" json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "watched_cohorts" (
	"project_id" text NOT NULL,
	"cohort_id" text NOT NULL,
	"is_known" boolean DEFAULT false NOT NULL,
	"members" integer,
	"failure" text,
	"due_at" timestamp with time zone NOT NULL,
	"claimed_until" timestamp with time zone,
	CONSTRAINT "watched_cohorts_project_id_cohort_id_pk" PRIMARY KEY("project_id","cohort_id")
);
--> statement-breakpoint
CREATE TABLE "watched_people" (
	"project_id" text NOT NULL,
	"cohort_id" text NOT NULL,
	"person_id" text NOT NULL,
	CONSTRAINT "watched_people_project_id_cohort_id_person_id_pk" PRIMARY KEY("project_id","cohort_id","person_id")
);
--> statement-breakpoint
CREATE INDEX "watched_cohorts_by_time" ON "watched_cohorts" USING btree ("due_at");