ALTER TABLE "shares" ADD COLUMN "comment_id" text;--> statement-breakpoint
-- brief: deliveries of 90 days; a million rows take about a second
CREATE INDEX "deliveries_waiting" ON "deliveries" USING btree ("recipient_sub") WHERE "deliveries"."state" = 'waiting';--> statement-breakpoint
-- brief: no row has a comment yet
CREATE INDEX "shares_by_comment" ON "shares" USING btree ("comment_id") WHERE "shares"."comment_id" is not null;