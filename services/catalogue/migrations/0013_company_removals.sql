ALTER TABLE "companies" ADD COLUMN "removed_at" timestamp with time zone;--> statement-breakpoint
-- brief: no row is in the index yet, and a hundred thousand companies are read in well under a second
CREATE INDEX IF NOT EXISTS "companies_removed" ON "companies" USING btree ("removed_at") WHERE "companies"."removed_at" is not null;
