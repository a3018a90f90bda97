-- brief: a million rows take about a second; with more, create it by hand before the upgrade.
CREATE INDEX IF NOT EXISTS "conversations_by_age" ON "conversations" USING btree ("last_turn_at","id");--> statement-breakpoint
-- brief: a million rows take about a second; with more, create it by hand before the upgrade.
CREATE INDEX IF NOT EXISTS "message_keys_by_message" ON "message_keys" USING btree ("message_id");--> statement-breakpoint
-- brief: a million rows take about a second; with more, create it by hand before the upgrade.
CREATE INDEX IF NOT EXISTS "messages_by_age" ON "messages" USING btree ("created_at","id");--> statement-breakpoint
-- brief: a million rows take about a second; with more, create it by hand before the upgrade.
CREATE INDEX IF NOT EXISTS "reads_by_message" ON "reads" USING btree ("message_id");--> statement-breakpoint
-- brief: a million rows take about a second; with more, create it by hand before the upgrade.
CREATE INDEX IF NOT EXISTS "recipients_by_message" ON "recipients" USING btree ("message_id");
