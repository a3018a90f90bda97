-- contract: no version that counts evaluations was released
DROP TABLE "flag_seen" CASCADE;
--> statement-breakpoint
-- contract: no version that counts evaluations was released
DROP TABLE "flag_usage_days" CASCADE;
--> statement-breakpoint
-- contract: no version that counts evaluations was released
DROP TABLE "flag_usage_hours" CASCADE;
