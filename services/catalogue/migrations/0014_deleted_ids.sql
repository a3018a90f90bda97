ALTER TABLE "erasures" ADD COLUMN "company_id" text;--> statement-breakpoint
-- brief: tens of thousands of rows take well under a second.
CREATE INDEX IF NOT EXISTS "erasures_of_project" ON "erasures" USING btree ("project_id","id") WHERE "erasures"."project_id" is not null;--> statement-breakpoint
-- brief: no row has the column yet.
CREATE INDEX IF NOT EXISTS "erasures_of_company" ON "erasures" USING btree ("company_id","id") WHERE "erasures"."company_id" is not null;
