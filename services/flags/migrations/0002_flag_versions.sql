CREATE TABLE "flag_versions" (
	"project_id" text NOT NULL,
	"key" text NOT NULL,
	"version" integer NOT NULL,
	"entry" json,
	"author" text,
	"reason" text,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "flag_versions_project_id_key_version_pk" PRIMARY KEY("project_id","key","version")
);
--> statement-breakpoint
CREATE INDEX "flag_versions_by_author" ON "flag_versions" USING btree ("author");