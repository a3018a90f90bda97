CREATE TABLE "scheduled_changes" (
	"id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"key" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"definition" json,
	"patch" json,
	"reason" text,
	"if_version" integer,
	"author" text,
	"token_id" text,
	"everywhere" boolean NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"failed_at" timestamp (3) with time zone,
	"failure" text
);
--> statement-breakpoint
CREATE INDEX "scheduled_changes_by_project" ON "scheduled_changes" USING btree ("project_id","at","id");--> statement-breakpoint
CREATE INDEX "scheduled_changes_due" ON "scheduled_changes" USING btree ("at","id") WHERE "scheduled_changes"."failed_at" is null;--> statement-breakpoint
CREATE INDEX "scheduled_changes_by_author" ON "scheduled_changes" USING btree ("author");