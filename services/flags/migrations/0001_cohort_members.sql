CREATE TABLE "cohort_members" (
	"project_id" text NOT NULL,
	"distinct_id" text NOT NULL,
	"cohort_id" text NOT NULL,
	CONSTRAINT "cohort_members_project_id_distinct_id_cohort_id_pk" PRIMARY KEY("project_id","distinct_id","cohort_id")
);
--> statement-breakpoint
ALTER TABLE "cohorts" ADD COLUMN "did" json;--> statement-breakpoint
ALTER TABLE "cohorts" ADD COLUMN "combine" text;--> statement-breakpoint
ALTER TABLE "cohorts" ADD COLUMN "list" json;--> statement-breakpoint
CREATE INDEX "cohort_members_by_prefix" ON "cohort_members" USING btree ("project_id","cohort_id",(left(md5("distinct_id"), 4) collate "C"));
--> statement-breakpoint
CREATE TRIGGER "cohort_members_inserted" AFTER INSERT ON "cohort_members" REFERENCING NEW TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_people"();
--> statement-breakpoint
CREATE TRIGGER "cohort_members_deleted" AFTER DELETE ON "cohort_members" REFERENCING OLD TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION "announce_people"();
