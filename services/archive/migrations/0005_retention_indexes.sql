-- brief: a million rows take about a second; with more, create it by hand before the upgrade.
CREATE INDEX IF NOT EXISTS "replays_by_age" ON "replays" USING btree ("received_at") WHERE "replays"."deleted_at" is null;--> statement-breakpoint
-- brief: a million rows take about a second; with more, create it by hand before the upgrade.
CREATE INDEX IF NOT EXISTS "replays_erased" ON "replays" USING btree ("erased_at") WHERE "replays"."erased_at" is not null;
