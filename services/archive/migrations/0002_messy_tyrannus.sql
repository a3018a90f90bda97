ALTER TABLE "replays" ADD COLUMN "pages" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "replays" ADD COLUMN "event_names" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "replays" ADD COLUMN "errors" bigint DEFAULT 0 NOT NULL;