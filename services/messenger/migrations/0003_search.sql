ALTER TABLE "turns" ADD COLUMN "words" "tsvector";--> statement-breakpoint
-- brief: the column is new, so the index is empty; the table is read once
CREATE INDEX IF NOT EXISTS "turns_by_word" ON "turns" USING gin ("words");