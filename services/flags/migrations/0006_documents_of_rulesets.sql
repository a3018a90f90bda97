ALTER TABLE "rulesets" ADD COLUMN "document" text;--> statement-breakpoint
ALTER TABLE "rulesets" ADD COLUMN "documented_at" timestamp (3) with time zone;