CREATE TABLE "report_run_failures" (
	"project_id" text NOT NULL,
	"report_id" text NOT NULL,
	"run_id" text NOT NULL,
	"failed_at" timestamp (3) with time zone NOT NULL,
	"code" text NOT NULL,
	"message" text NOT NULL,
	CONSTRAINT "report_run_failures_project_id_report_id_pk" PRIMARY KEY("project_id","report_id")
);
