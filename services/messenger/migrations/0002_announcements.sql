CREATE TABLE "unpublished_conversations" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"conversation_id" text NOT NULL,
	"record" json NOT NULL
);
--> statement-breakpoint
ALTER TABLE "unpublished_conversations" ADD CONSTRAINT "unpublished_conversations_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "unpublished_conversations_by_conversation" ON "unpublished_conversations" USING btree ("conversation_id");