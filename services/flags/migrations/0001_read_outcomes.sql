ALTER TABLE "change_requests" ADD COLUMN "is_read" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- brief: the table has at most 300 rows of a project, and no request waits for the closed ones
UPDATE "change_requests" SET "is_read" = true WHERE "closed_as" IS NOT NULL OR "expires_at" <= now();
