CREATE TABLE "conversation_resolutions" (
	"conversation_id" text NOT NULL,
	"project_id" text NOT NULL,
	"resolved_at" timestamp (3) with time zone NOT NULL,
	"opened_at" timestamp (3) with time zone NOT NULL,
	"score" integer,
	"comment" text,
	"rated_at" timestamp (3) with time zone,
	CONSTRAINT "conversation_resolutions_conversation_id_resolved_at_pk" PRIMARY KEY("conversation_id","resolved_at")
);
--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "waiting_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "reopened_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "satisfaction_score" integer;--> statement-breakpoint
ALTER TABLE "support_settings" ADD COLUMN "asks_satisfaction" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "conversation_resolutions" ADD CONSTRAINT "conversation_resolutions_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "conversation_resolutions_by_time" ON "conversation_resolutions" USING btree ("project_id","resolved_at");--> statement-breakpoint
CREATE INDEX "conversation_resolutions_by_rating" ON "conversation_resolutions" USING btree ("project_id","rated_at") WHERE "conversation_resolutions"."rated_at" is not null;--> statement-breakpoint
-- brief: no row has the column yet
CREATE INDEX IF NOT EXISTS "conversations_waiting" ON "conversations" USING btree ("project_id","waiting_since","id") WHERE "conversations"."waiting_since" is not null;--> statement-breakpoint
-- brief: no row has the column yet
CREATE INDEX IF NOT EXISTS "conversations_by_satisfaction" ON "conversations" USING btree ("project_id","last_turn_at","id") WHERE "conversations"."satisfaction_score" is not null;--> statement-breakpoint
-- brief: a million rows take two seconds; create it concurrently before
CREATE INDEX IF NOT EXISTS "conversations_by_creation" ON "conversations" USING btree ("project_id","created_at");--> statement-breakpoint
-- brief: a million rows take two seconds; create it concurrently before
CREATE INDEX IF NOT EXISTS "conversations_by_first_reply" ON "conversations" USING btree ("project_id","first_reply_at") WHERE "conversations"."first_reply_at" is not null;
