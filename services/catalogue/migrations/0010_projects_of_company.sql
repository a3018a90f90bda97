-- brief: changes of projects wait until it is built, a second for half a million
CREATE INDEX IF NOT EXISTS "projects_of_company" ON "projects" USING btree ("company_id","id");
--> statement-breakpoint
-- contract: the new index serves every query that this one did
DROP INDEX "projects_by_company";
--> statement-breakpoint
ALTER TABLE "outbox" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, vacuum_truncate = false);
