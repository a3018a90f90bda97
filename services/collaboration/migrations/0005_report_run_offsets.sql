ALTER TABLE "report_run_failures" ADD COLUMN "log_offset" bigint;--> statement-breakpoint
ALTER TABLE "report_runs" ADD COLUMN "log_offset" bigint;