CREATE TABLE "saved_reports" (
	"project_id" text NOT NULL,
	"report_id" text NOT NULL,
	"next_run_at" timestamp with time zone NOT NULL,
	"claimed_until" timestamp with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "saved_reports_project_id_report_id_pk" PRIMARY KEY("project_id","report_id")
);
--> statement-breakpoint
CREATE INDEX "saved_reports_by_time" ON "saved_reports" USING btree ("next_run_at");