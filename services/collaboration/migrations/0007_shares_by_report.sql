-- brief: shares leave after 90 days, and a million rows take under two seconds.
CREATE INDEX IF NOT EXISTS "shares_by_report" ON "shares" USING btree ("project_id","report_id");
