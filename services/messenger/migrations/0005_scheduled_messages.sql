ALTER TABLE "messages" ADD COLUMN "recipient_count" integer;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "is_waiting" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- brief: the column is new, so the index is empty; the table is read once
CREATE INDEX IF NOT EXISTS "messages_waiting" ON "messages" USING btree ("created_at") WHERE "messages"."is_waiting";