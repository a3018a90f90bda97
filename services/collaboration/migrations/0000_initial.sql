CREATE EXTENSION IF NOT EXISTS btree_gist;
--> statement-breakpoint
CREATE TABLE "annotations" (
	"id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"report_id" text,
	"scope" text GENERATED ALWAYS AS (coalesce(report_id, '')) STORED NOT NULL,
	"starts_on" date NOT NULL,
	"ends_on" date NOT NULL,
	"days" daterange GENERATED ALWAYS AS (daterange(starts_on, ends_on, '[]')) STORED NOT NULL,
	"text" text NOT NULL,
	"tags" text[] NOT NULL,
	"created_by_sub" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "comments" (
	"id" text PRIMARY KEY NOT NULL,
	"thread_id" text NOT NULL,
	"position" integer NOT NULL,
	"body" text,
	"mentions" text[] NOT NULL,
	"author_sub" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"edited_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "deleted_without_body" CHECK (("comments"."deleted_at" is null) = ("comments"."body" is not null))
);
--> statement-breakpoint
CREATE TABLE "dashboard_links" (
	"project_id" text NOT NULL,
	"dashboard_id" text NOT NULL,
	"token_hash" text NOT NULL,
	"sealed_token" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_on" date NOT NULL,
	CONSTRAINT "dashboard_links_project_id_dashboard_id_pk" PRIMARY KEY("project_id","dashboard_id")
);
--> statement-breakpoint
CREATE TABLE "dashboards" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"tiles" json NOT NULL,
	"range" json,
	"where" json NOT NULL,
	"owner_sub" text,
	"version" integer NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "dashboards_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" text PRIMARY KEY NOT NULL,
	"share_id" text NOT NULL,
	"recipient_sub" text NOT NULL,
	"channel" text NOT NULL,
	"endpoint" text,
	"state" text DEFAULT 'waiting' NOT NULL,
	"reason" text,
	"settled_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "dropped_endpoints" (
	"endpoint" text PRIMARY KEY NOT NULL,
	"dropped_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "public_links" (
	"project_id" text NOT NULL,
	"report_id" text NOT NULL,
	"token_hash" text NOT NULL,
	"sealed_token" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_on" date NOT NULL,
	CONSTRAINT "public_links_project_id_report_id_pk" PRIMARY KEY("project_id","report_id")
);
--> statement-breakpoint
CREATE TABLE "reactions" (
	"comment_id" text NOT NULL,
	"emoji" text NOT NULL,
	"sub" text NOT NULL,
	CONSTRAINT "reactions_comment_id_emoji_sub_pk" PRIMARY KEY("comment_id","emoji","sub")
);
--> statement-breakpoint
CREATE TABLE "report_run_cohorts" (
	"project_id" text NOT NULL,
	"report_id" text NOT NULL,
	"run_id" text NOT NULL,
	"cohort" text NOT NULL,
	CONSTRAINT "report_run_cohorts_project_id_report_id_pk" PRIMARY KEY("project_id","report_id")
);
--> statement-breakpoint
CREATE TABLE "report_run_failures" (
	"project_id" text NOT NULL,
	"report_id" text NOT NULL,
	"run_id" text NOT NULL,
	"failed_at" timestamp (3) with time zone NOT NULL,
	"log_offset" bigint,
	"code" text NOT NULL,
	"message" text NOT NULL,
	CONSTRAINT "report_run_failures_project_id_report_id_pk" PRIMARY KEY("project_id","report_id")
);
--> statement-breakpoint
CREATE TABLE "report_run_history" (
	"project_id" text NOT NULL,
	"report_id" text NOT NULL,
	"run_id" text NOT NULL,
	"ran_at" timestamp (3) with time zone NOT NULL,
	"report" text,
	"code" text,
	"message" text,
	CONSTRAINT "report_run_history_project_id_report_id_run_id_pk" PRIMARY KEY("project_id","report_id","run_id")
);
--> statement-breakpoint
CREATE TABLE "report_runs" (
	"project_id" text NOT NULL,
	"report_id" text NOT NULL,
	"run_id" text NOT NULL,
	"ran_at" timestamp (3) with time zone NOT NULL,
	"log_offset" bigint,
	"report" text NOT NULL,
	CONSTRAINT "report_runs_project_id_report_id_pk" PRIMARY KEY("project_id","report_id")
);
--> statement-breakpoint
CREATE TABLE "shares" (
	"id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"company_id" text NOT NULL,
	"report_id" text NOT NULL,
	"report_name" text NOT NULL,
	"sender_sub" text NOT NULL,
	"sender_name" text NOT NULL,
	"note" text,
	"link" text NOT NULL,
	"language" text NOT NULL,
	"idempotency_key" text,
	"comment_id" text,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "thread_reads" (
	"project_id" text NOT NULL,
	"report_id" text NOT NULL,
	"sub" text NOT NULL,
	"read_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "thread_reads_project_id_report_id_sub_pk" PRIMARY KEY("project_id","report_id","sub")
);
--> statement-breakpoint
CREATE TABLE "threads" (
	"id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"report_id" text NOT NULL,
	"anchor" text,
	"created_by_sub" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"resolved_at" timestamp (3) with time zone,
	"resolved_by_sub" text
);
--> statement-breakpoint
ALTER TABLE "comments" ADD CONSTRAINT "comments_thread_id_threads_id_fk" FOREIGN KEY ("thread_id") REFERENCES "public"."threads"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_share_id_shares_id_fk" FOREIGN KEY ("share_id") REFERENCES "public"."shares"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "reactions" ADD CONSTRAINT "reactions_comment_id_comments_id_fk" FOREIGN KEY ("comment_id") REFERENCES "public"."comments"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "report_run_cohorts" ADD CONSTRAINT "report_run_cohorts_project_id_report_id_report_runs_project_id_report_id_fk" FOREIGN KEY ("project_id","report_id") REFERENCES "public"."report_runs"("project_id","report_id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "annotations_by_days" ON "annotations" USING gist ("project_id","scope","days");
--> statement-breakpoint
CREATE INDEX "annotations_by_start" ON "annotations" USING btree ("project_id","scope","starts_on","created_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "comments_by_thread" ON "comments" USING btree ("thread_id","position");
--> statement-breakpoint
CREATE INDEX "comments_by_author" ON "comments" USING btree ("author_sub","created_at");
--> statement-breakpoint
CREATE INDEX "comments_by_mention" ON "comments" USING gin ("mentions");
--> statement-breakpoint
CREATE UNIQUE INDEX "dashboard_links_by_token" ON "dashboard_links" USING btree ("token_hash");
--> statement-breakpoint
CREATE INDEX "deliveries_by_share" ON "deliveries" USING btree ("share_id");
--> statement-breakpoint
CREATE INDEX "deliveries_waiting" ON "deliveries" USING btree ("recipient_sub") WHERE "deliveries"."state" = 'waiting';
--> statement-breakpoint
CREATE INDEX "dropped_endpoints_by_age" ON "dropped_endpoints" USING btree ("dropped_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "public_links_by_token" ON "public_links" USING btree ("token_hash");
--> statement-breakpoint
CREATE INDEX "report_run_failures_by_age" ON "report_run_failures" USING btree ("failed_at");
--> statement-breakpoint
CREATE INDEX "report_run_history_newest" ON "report_run_history" USING btree ("project_id","report_id","ran_at","run_id");
--> statement-breakpoint
CREATE INDEX "report_run_history_by_age" ON "report_run_history" USING btree ("ran_at");
--> statement-breakpoint
CREATE INDEX "report_runs_by_age" ON "report_runs" USING btree ("ran_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "shares_once" ON "shares" USING btree ("project_id","report_id","sender_sub","idempotency_key") WHERE "shares"."idempotency_key" is not null;
--> statement-breakpoint
CREATE INDEX "shares_by_comment" ON "shares" USING btree ("comment_id") WHERE "shares"."comment_id" is not null;
--> statement-breakpoint
CREATE INDEX "shares_by_age" ON "shares" USING btree ("created_at","id");
--> statement-breakpoint
CREATE INDEX "shares_by_report" ON "shares" USING btree ("project_id","report_id");
--> statement-breakpoint
CREATE INDEX "thread_reads_by_sub" ON "thread_reads" USING btree ("sub");
--> statement-breakpoint
CREATE INDEX "threads_by_report" ON "threads" USING btree ("project_id","report_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "threads_by_age" ON "threads" USING btree ("created_at","id");
