CREATE TABLE "inbox_preferences" (
	"project_id" text NOT NULL,
	"sub" text NOT NULL,
	"number" serial NOT NULL,
	"preferences" json NOT NULL,
	"look_at" timestamp (3) with time zone,
	"digested" text[] DEFAULT '{}' NOT NULL,
	CONSTRAINT "inbox_preferences_project_id_sub_pk" PRIMARY KEY("project_id","sub")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "inbox_preferences_by_number" ON "inbox_preferences" USING btree ("number");--> statement-breakpoint
CREATE INDEX "inbox_preferences_due" ON "inbox_preferences" USING btree ("look_at") WHERE "inbox_preferences"."look_at" is not null;