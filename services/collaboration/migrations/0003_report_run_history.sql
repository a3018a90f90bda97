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
CREATE INDEX "report_run_history_newest" ON "report_run_history" USING btree ("project_id","report_id","ran_at","run_id");--> statement-breakpoint
CREATE INDEX "report_run_history_by_age" ON "report_run_history" USING btree ("ran_at");