-- brief: tens of thousands of rows take well under a second.
CREATE INDEX IF NOT EXISTS "dropped_endpoints_by_age" ON "dropped_endpoints" USING btree ("dropped_at");--> statement-breakpoint
-- brief: tens of thousands of rows take well under a second.
CREATE INDEX IF NOT EXISTS "report_run_failures_by_age" ON "report_run_failures" USING btree ("failed_at");--> statement-breakpoint
-- brief: tens of thousands of rows take well under a second.
CREATE INDEX IF NOT EXISTS "report_runs_by_age" ON "report_runs" USING btree ("ran_at");--> statement-breakpoint
-- brief: a million rows take about a second; with more, create it by hand before the upgrade.
CREATE INDEX IF NOT EXISTS "shares_by_age" ON "shares" USING btree ("created_at","id");--> statement-breakpoint
-- brief: a million rows take about a second; with more, create it by hand before the upgrade.
CREATE INDEX IF NOT EXISTS "threads_by_age" ON "threads" USING btree ("created_at","id");
