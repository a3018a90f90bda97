-- brief: files wait to be known until it is built, a second for half a million
CREATE INDEX IF NOT EXISTS "archive_files_by_time" ON "archive_files" USING btree ("project","last_occurred_at","first_occurred_at");
--> statement-breakpoint
-- contract: the new index serves every query that this one did
DROP INDEX "archive_files_by_project";
