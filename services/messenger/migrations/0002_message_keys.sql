CREATE TABLE "message_keys" (
	"project_id" text NOT NULL,
	"idempotency_key" text NOT NULL,
	"message_id" text NOT NULL,
	CONSTRAINT "message_keys_project_id_idempotency_key_pk" PRIMARY KEY("project_id","idempotency_key")
);
--> statement-breakpoint
ALTER TABLE "message_keys" ADD CONSTRAINT "message_keys_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE no action ON UPDATE no action;