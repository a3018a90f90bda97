CREATE TABLE "cohort_people" (
	"project_id" text NOT NULL,
	"distinct_id" text NOT NULL,
	"cohort_id" text NOT NULL,
	CONSTRAINT "cohort_people_project_id_distinct_id_cohort_id_pk" PRIMARY KEY("project_id","distinct_id","cohort_id")
);
--> statement-breakpoint
CREATE TABLE "cohorts" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"match" json,
	CONSTRAINT "cohorts_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "flags" (
	"project_id" text NOT NULL,
	"key" text NOT NULL,
	"entry" json NOT NULL,
	CONSTRAINT "flags_project_id_key_pk" PRIMARY KEY("project_id","key")
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
--> statement-breakpoint
CREATE TABLE "rulesets" (
	"project_id" text PRIMARY KEY NOT NULL,
	"changed_at" timestamp (3) with time zone DEFAULT 'epoch' NOT NULL
);
--> statement-breakpoint
ALTER TABLE "cohort_people" ADD CONSTRAINT "cohort_people_cohort" FOREIGN KEY ("project_id","cohort_id") REFERENCES "public"."cohorts"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "cohort_people_by_cohort" ON "cohort_people" USING btree ("project_id","cohort_id");