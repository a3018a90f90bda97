ALTER TABLE "subscription_mails" ALTER COLUMN "sub" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "subscription_mails" ADD COLUMN "channel_id" text;