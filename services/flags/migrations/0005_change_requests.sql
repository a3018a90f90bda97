CREATE TABLE "change_approvals" (
	"request_id" text NOT NULL,
	"sub" text NOT NULL,
	"token_id" text,
	"everywhere" boolean NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "change_approvals_request_id_sub_pk" PRIMARY KEY("request_id","sub")
);
--> statement-breakpoint
CREATE TABLE "change_requests" (
	"id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"key" text NOT NULL,
	"version" integer NOT NULL,
	"before" json,
	"after" json,
	"at" timestamp (3) with time zone,
	"patch" json,
	"reason" text,
	"author" text,
	"token_id" text,
	"everywhere" boolean NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"closed_as" text,
	"closed_at" timestamp (3) with time zone,
	"closed_by" text,
	"note" text
);
--> statement-breakpoint
ALTER TABLE "flag_versions" ADD COLUMN "approved_by" text[];--> statement-breakpoint
ALTER TABLE "flag_versions" ADD COLUMN "is_emergency" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "scheduled_changes" ADD COLUMN "approved_by" text[];--> statement-breakpoint
ALTER TABLE "change_approvals" ADD CONSTRAINT "change_approvals_request_id_change_requests_id_fk" FOREIGN KEY ("request_id") REFERENCES "public"."change_requests"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "change_approvals_by_sub" ON "change_approvals" USING btree ("sub");--> statement-breakpoint
CREATE INDEX "change_requests_by_project" ON "change_requests" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "change_requests_waiting" ON "change_requests" USING btree ("project_id","key") WHERE "change_requests"."closed_as" is null;--> statement-breakpoint
CREATE INDEX "change_requests_by_author" ON "change_requests" USING btree ("author");--> statement-breakpoint
CREATE INDEX "change_requests_by_closer" ON "change_requests" USING btree ("closed_by");--> statement-breakpoint
-- brief: no row has an approver yet, and a flag has at most 200 versions
CREATE INDEX "flag_versions_by_approver" ON "flag_versions" USING gin ("approved_by") WHERE "flag_versions"."approved_by" is not null;--> statement-breakpoint
-- brief: a project has at most 100 scheduled changes
CREATE INDEX "scheduled_changes_by_approver" ON "scheduled_changes" USING gin ("approved_by") WHERE "scheduled_changes"."approved_by" is not null;