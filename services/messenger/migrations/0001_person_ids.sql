CREATE TABLE "conversation_tokens" (
	"conversation_id" text NOT NULL,
	"token_hash" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "conversation_tokens_conversation_id_token_hash_pk" PRIMARY KEY("conversation_id","token_hash")
);
--> statement-breakpoint
CREATE TABLE "person_ids" (
	"project_id" text NOT NULL,
	"distinct_id" text NOT NULL,
	"person_id" text NOT NULL,
	"joined_at" timestamp (3) with time zone NOT NULL,
	"joined_by" json NOT NULL,
	CONSTRAINT "person_ids_project_id_distinct_id_pk" PRIMARY KEY("project_id","distinct_id")
);
--> statement-breakpoint
ALTER TABLE "conversation_tokens" ADD CONSTRAINT "conversation_tokens_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "person_ids_by_person" ON "person_ids" USING btree ("project_id","person_id");--> statement-breakpoint
-- brief: a few million conversations at most, a second or two each
CREATE INDEX IF NOT EXISTS "conversations_latest_by_distinct_id" ON "conversations" USING btree ("project_id","distinct_id","last_turn_at");--> statement-breakpoint
-- brief: as above
CREATE INDEX IF NOT EXISTS "conversations_latest_by_user" ON "conversations" USING btree ("project_id","user_id","last_turn_at","id") WHERE "conversations"."user_verified";