ALTER TABLE "shares" ADD COLUMN "idempotency_key" text;--> statement-breakpoint
-- contract: the previous version writes no idempotency keys, and rows without one are not in the index
-- brief: a share is a row of some hundred bytes, and no row is in the index yet
CREATE UNIQUE INDEX "shares_once" ON "shares" USING btree ("project_id","report_id","sender_sub","idempotency_key") WHERE "shares"."idempotency_key" is not null;