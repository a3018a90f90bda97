CREATE TABLE "article_searches" (
	"project_id" text PRIMARY KEY NOT NULL,
	"on" boolean NOT NULL,
	"placement" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "attachments" (
	"id" text PRIMARY KEY NOT NULL,
	"conversation_id" text NOT NULL,
	"object_key" text NOT NULL,
	"name" text NOT NULL,
	"content_type" text NOT NULL,
	"bytes" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"is_stored" boolean DEFAULT false NOT NULL,
	"is_leaving" boolean DEFAULT false NOT NULL,
	"turn_position" integer,
	"place" integer
);
--> statement-breakpoint
CREATE TABLE "avatars" (
	"project_id" text NOT NULL,
	"user_id" text NOT NULL,
	"file" text NOT NULL,
	"content_type" text NOT NULL,
	"bytes" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "avatars_project_id_user_id_file_pk" PRIMARY KEY("project_id","user_id","file")
);
--> statement-breakpoint
CREATE TABLE "configurations" (
	"project_id" text PRIMARY KEY NOT NULL,
	"settings" json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "conversations" (
	"id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"distinct_id" text NOT NULL,
	"subject" text,
	"status" text DEFAULT 'open' NOT NULL,
	"user_id" text,
	"user_verified" boolean NOT NULL,
	"token_hash" text NOT NULL,
	"token_expires_at" timestamp (3) with time zone NOT NULL,
	"turn_count" integer DEFAULT 0 NOT NULL,
	"turn_bytes" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_turn_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "help_sites" (
	"project_id" text PRIMARY KEY NOT NULL,
	"url" text NOT NULL,
	"articles" bigint NOT NULL,
	"languages" json NOT NULL,
	"capped" boolean NOT NULL,
	"last_read_at" timestamp (3) with time zone NOT NULL,
	"read_error" text
);
--> statement-breakpoint
CREATE TABLE "identity_secrets" (
	"id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"sealed" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "message_keys" (
	"project_id" text NOT NULL,
	"idempotency_key" text NOT NULL,
	"message_id" text NOT NULL,
	CONSTRAINT "message_keys_project_id_idempotency_key_pk" PRIMARY KEY("project_id","idempotency_key")
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"title" text NOT NULL,
	"body" text NOT NULL,
	"to_everyone" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reads" (
	"project_id" text NOT NULL,
	"distinct_id" text NOT NULL,
	"message_id" text NOT NULL,
	CONSTRAINT "reads_project_id_distinct_id_message_id_pk" PRIMARY KEY("project_id","distinct_id","message_id")
);
--> statement-breakpoint
CREATE TABLE "recipients" (
	"project_id" text NOT NULL,
	"distinct_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"message_id" text NOT NULL,
	CONSTRAINT "recipients_project_id_distinct_id_created_at_message_id_pk" PRIMARY KEY("project_id","distinct_id","created_at","message_id")
);
--> statement-breakpoint
CREATE TABLE "teammates" (
	"project_id" text NOT NULL,
	"user_id" text NOT NULL,
	"name" text NOT NULL,
	"initials" text,
	"tone" text,
	"avatar_file" text,
	CONSTRAINT "teammates_project_id_user_id_pk" PRIMARY KEY("project_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "translated_bytes" (
	"company_id" text NOT NULL,
	"month" text NOT NULL,
	"bytes" bigint NOT NULL,
	CONSTRAINT "translated_bytes_company_id_month_pk" PRIMARY KEY("company_id","month")
);
--> statement-breakpoint
CREATE TABLE "turns" (
	"conversation_id" text NOT NULL,
	"position" integer NOT NULL,
	"id" text NOT NULL,
	"author_kind" text NOT NULL,
	"author_id" text,
	"body" text NOT NULL,
	"page_context" json,
	"idempotency_key" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "turns_conversation_id_position_pk" PRIMARY KEY("conversation_id","position")
);
--> statement-breakpoint
ALTER TABLE "attachments" ADD CONSTRAINT "attachments_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_keys" ADD CONSTRAINT "message_keys_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reads" ADD CONSTRAINT "reads_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recipients" ADD CONSTRAINT "recipients_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "turns" ADD CONSTRAINT "turns_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "attachments_by_turn" ON "attachments" USING btree ("conversation_id","turn_position");--> statement-breakpoint
CREATE INDEX "attachments_unsent" ON "attachments" USING btree ("created_at") WHERE "attachments"."turn_position" is null;--> statement-breakpoint
CREATE INDEX "conversations_latest" ON "conversations" USING btree ("project_id","last_turn_at","id");--> statement-breakpoint
CREATE INDEX "conversations_latest_by_status" ON "conversations" USING btree ("project_id","status","last_turn_at","id");--> statement-breakpoint
CREATE INDEX "conversations_by_age" ON "conversations" USING btree ("last_turn_at","id");--> statement-breakpoint
CREATE INDEX "identity_secrets_by_project" ON "identity_secrets" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "message_keys_by_message" ON "message_keys" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "messages_to_everyone" ON "messages" USING btree ("project_id","created_at","id") WHERE "messages"."to_everyone";--> statement-breakpoint
CREATE INDEX "messages_by_time" ON "messages" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "messages_by_age" ON "messages" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "reads_by_message" ON "reads" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "recipients_by_message" ON "recipients" USING btree ("message_id");--> statement-breakpoint
CREATE UNIQUE INDEX "turns_once" ON "turns" USING btree ("conversation_id","idempotency_key") WHERE "turns"."idempotency_key" is not null;
--> statement-breakpoint
ALTER TABLE "conversations" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
