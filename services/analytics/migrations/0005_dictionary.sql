CREATE TABLE "dictionary" (
	"project_id" text NOT NULL,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"owner" text,
	"hidden" boolean NOT NULL,
	"verified" boolean NOT NULL,
	CONSTRAINT "dictionary_project_id_kind_name_pk" PRIMARY KEY("project_id","kind","name")
);
--> statement-breakpoint
CREATE INDEX "dictionary_by_owner" ON "dictionary" USING btree ("owner");