ALTER TABLE "reports" ADD COLUMN "query" text;--> statement-breakpoint
ALTER TABLE "reports" ADD COLUMN "refresh" text;