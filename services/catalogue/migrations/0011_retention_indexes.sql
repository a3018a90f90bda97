-- brief: tens of thousands of rows take well under a second.
CREATE INDEX IF NOT EXISTS "erasures_done" ON "erasures" USING btree ("created_at") WHERE "erasures"."subject" is null;
