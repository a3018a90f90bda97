CREATE TABLE "person_ids" (
	"project_id" text NOT NULL,
	"distinct_id" text NOT NULL,
	"person_id" text NOT NULL,
	"joined_at" timestamp (3) with time zone NOT NULL,
	"joined_by" json NOT NULL,
	CONSTRAINT "person_ids_project_id_distinct_id_pk" PRIMARY KEY("project_id","distinct_id")
);
--> statement-breakpoint
CREATE INDEX "person_ids_by_person" ON "person_ids" USING btree ("project_id","person_id");