ALTER TABLE "conversations" ADD COLUMN "imported_from" text;--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "imported_turns" integer;