CREATE TABLE "conversation_mail" (
	"conversation_id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text,
	"source" text NOT NULL,
	"language" text NOT NULL,
	"unsubscribed_at" timestamp (3) with time zone,
	"bounced_at" timestamp (3) with time zone,
	"bounce" text,
	"mailed_at" timestamp (3) with time zone,
	"mailed_position" integer DEFAULT 0 NOT NULL,
	"message_ids" text[] DEFAULT '{}' NOT NULL,
	"due_at" timestamp (3) with time zone,
	"stage" text DEFAULT 'waiting' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "support_settings" ADD COLUMN "mail_after_minutes" integer DEFAULT 10;--> statement-breakpoint
ALTER TABLE "support_settings" ADD COLUMN "mail_key" text;--> statement-breakpoint
ALTER TABLE "turns" ADD COLUMN "mail" json;--> statement-breakpoint
ALTER TABLE "conversation_mail" ADD CONSTRAINT "conversation_mail_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "conversation_mail_due" ON "conversation_mail" USING btree ("due_at") WHERE "conversation_mail"."due_at" is not null;--> statement-breakpoint
-- brief: the column is new, so the index is empty; the table has a row for each project
CREATE INDEX "support_settings_by_mail_key" ON "support_settings" USING btree ("mail_key") WHERE "support_settings"."mail_key" is not null;