DROP TABLE "flag_seen" CASCADE;--> statement-breakpoint
DROP TABLE "flag_usage_days" CASCADE;--> statement-breakpoint
DROP TABLE "flag_usage_hours" CASCADE;