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
CREATE TABLE "conversation_count_changes" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"label_id" text NOT NULL,
	"status" text NOT NULL,
	"snoozed" boolean NOT NULL,
	"assignee_id" text NOT NULL,
	"team_id" text NOT NULL,
	"priority" text NOT NULL,
	"change" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "conversation_counts" (
	"project_id" text NOT NULL,
	"label_id" text NOT NULL,
	"status" text NOT NULL,
	"snoozed" boolean NOT NULL,
	"assignee_id" text NOT NULL,
	"team_id" text NOT NULL,
	"priority" text NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "conversation_counts_pk" PRIMARY KEY("project_id","label_id","status","snoozed","assignee_id","team_id","priority")
);
--> statement-breakpoint
CREATE TABLE "conversation_history" (
	"conversation_id" text NOT NULL,
	"id" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"author_id" text,
	"change" json NOT NULL,
	CONSTRAINT "conversation_history_conversation_id_id_pk" PRIMARY KEY("conversation_id","id")
);
--> statement-breakpoint
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
CREATE TABLE "conversation_mentions" (
	"project_id" text NOT NULL,
	"sub" text NOT NULL,
	"conversation_id" text NOT NULL,
	CONSTRAINT "conversation_mentions_project_id_sub_conversation_id_pk" PRIMARY KEY("project_id","sub","conversation_id")
);
--> statement-breakpoint
CREATE TABLE "conversation_notes" (
	"conversation_id" text NOT NULL,
	"id" text NOT NULL,
	"author_id" text,
	"body" text NOT NULL,
	"mentions" text[] NOT NULL,
	"idempotency_key" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "conversation_notes_conversation_id_id_pk" PRIMARY KEY("conversation_id","id")
);
--> statement-breakpoint
CREATE TABLE "conversation_reads" (
	"conversation_id" text NOT NULL,
	"sub" text NOT NULL,
	"position" integer NOT NULL,
	CONSTRAINT "conversation_reads_conversation_id_sub_pk" PRIMARY KEY("conversation_id","sub")
);
--> statement-breakpoint
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
CREATE TABLE "conversation_tokens" (
	"conversation_id" text NOT NULL,
	"token_hash" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "conversation_tokens_conversation_id_token_hash_pk" PRIMARY KEY("conversation_id","token_hash")
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
	"last_turn_at" timestamp (3) with time zone NOT NULL,
	"assignee_id" text,
	"team_id" text,
	"priority" text DEFAULT 'normal' NOT NULL,
	"label_ids" text[] DEFAULT '{}' NOT NULL,
	"is_snoozed" boolean DEFAULT false NOT NULL,
	"snoozed_until" timestamp (3) with time zone,
	"first_reply_at" timestamp (3) with time zone,
	"resolved_at" timestamp (3) with time zone,
	"visitor_read_at" timestamp (3) with time zone,
	"teammate_read_at" timestamp (3) with time zone,
	"waiting_since" timestamp (3) with time zone,
	"reopened_at" timestamp (3) with time zone,
	"satisfaction_score" integer
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
CREATE TABLE "inbox_preferences" (
	"project_id" text NOT NULL,
	"sub" text NOT NULL,
	"number" serial NOT NULL,
	"preferences" json NOT NULL,
	"look_at" timestamp (3) with time zone,
	"digested" text[] DEFAULT '{}' NOT NULL,
	CONSTRAINT "inbox_preferences_project_id_sub_pk" PRIMARY KEY("project_id","sub")
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
	"created_at" timestamp (3) with time zone NOT NULL,
	"recipient_count" integer,
	"is_waiting" boolean DEFAULT false NOT NULL
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
CREATE TABLE "support_settings" (
	"project_id" text PRIMARY KEY NOT NULL,
	"version" integer NOT NULL,
	"settings" json NOT NULL,
	"keep_assignee_days" integer,
	"mail_after_minutes" integer DEFAULT 10,
	"mail_key" text,
	"asks_satisfaction" boolean DEFAULT false NOT NULL
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
	"mail" json,
	"words" "tsvector",
	CONSTRAINT "turns_conversation_id_position_pk" PRIMARY KEY("conversation_id","position")
);
--> statement-breakpoint
ALTER TABLE "attachments" ADD CONSTRAINT "attachments_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "conversation_history" ADD CONSTRAINT "conversation_history_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "conversation_mail" ADD CONSTRAINT "conversation_mail_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "conversation_mentions" ADD CONSTRAINT "conversation_mentions_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "conversation_notes" ADD CONSTRAINT "conversation_notes_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "conversation_reads" ADD CONSTRAINT "conversation_reads_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "conversation_resolutions" ADD CONSTRAINT "conversation_resolutions_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "conversation_tokens" ADD CONSTRAINT "conversation_tokens_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "message_keys" ADD CONSTRAINT "message_keys_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "reads" ADD CONSTRAINT "reads_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "recipients" ADD CONSTRAINT "recipients_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "turns" ADD CONSTRAINT "turns_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "attachments_by_turn" ON "attachments" USING btree ("conversation_id","turn_position");
--> statement-breakpoint
CREATE INDEX "attachments_unsent" ON "attachments" USING btree ("created_at") WHERE "attachments"."turn_position" is null;
--> statement-breakpoint
CREATE INDEX "conversation_count_changes_by_project" ON "conversation_count_changes" USING btree ("project_id");
--> statement-breakpoint
CREATE INDEX "conversation_counts_empty" ON "conversation_counts" USING btree ("project_id") WHERE "conversation_counts"."count" = 0;
--> statement-breakpoint
CREATE INDEX "conversation_mail_due" ON "conversation_mail" USING btree ("due_at") WHERE "conversation_mail"."due_at" is not null;
--> statement-breakpoint
CREATE INDEX "conversation_mentions_by_conversation" ON "conversation_mentions" USING btree ("conversation_id");
--> statement-breakpoint
CREATE INDEX "conversation_resolutions_by_time" ON "conversation_resolutions" USING btree ("project_id","resolved_at");
--> statement-breakpoint
CREATE INDEX "conversation_resolutions_by_rating" ON "conversation_resolutions" USING btree ("project_id","rated_at") WHERE "conversation_resolutions"."rated_at" is not null;
--> statement-breakpoint
CREATE INDEX "conversations_latest_by_assignee" ON "conversations" USING btree ("project_id","assignee_id","last_turn_at","id") WHERE "conversations"."assignee_id" is not null;
--> statement-breakpoint
CREATE INDEX "conversations_latest_by_team" ON "conversations" USING btree ("project_id","team_id","last_turn_at","id") WHERE "conversations"."team_id" is not null;
--> statement-breakpoint
CREATE INDEX "conversations_latest_by_priority" ON "conversations" USING btree ("project_id","priority","last_turn_at","id") WHERE "conversations"."priority" <> 'normal';
--> statement-breakpoint
CREATE INDEX "conversations_snoozed" ON "conversations" USING btree ("project_id","last_turn_at","id") WHERE "conversations"."is_snoozed";
--> statement-breakpoint
CREATE INDEX "conversations_waiting" ON "conversations" USING btree ("project_id","waiting_since","id") WHERE "conversations"."waiting_since" is not null;
--> statement-breakpoint
CREATE INDEX "conversations_by_satisfaction" ON "conversations" USING btree ("project_id","last_turn_at","id") WHERE "conversations"."satisfaction_score" is not null;
--> statement-breakpoint
CREATE INDEX "conversations_by_creation" ON "conversations" USING btree ("project_id","created_at");
--> statement-breakpoint
CREATE INDEX "conversations_by_first_reply" ON "conversations" USING btree ("project_id","first_reply_at") WHERE "conversations"."first_reply_at" is not null;
--> statement-breakpoint
CREATE INDEX "conversations_to_wake" ON "conversations" USING btree ("snoozed_until") WHERE "conversations"."is_snoozed";
--> statement-breakpoint
CREATE INDEX "conversations_by_label" ON "conversations" USING gin ("label_ids") WITH (gin_pending_list_limit=128) WHERE "conversations"."label_ids" <> '{}';
--> statement-breakpoint
CREATE INDEX "conversations_latest" ON "conversations" USING btree ("project_id","last_turn_at","id");
--> statement-breakpoint
CREATE INDEX "conversations_latest_by_status" ON "conversations" USING btree ("project_id","status","last_turn_at","id");
--> statement-breakpoint
CREATE INDEX "conversations_by_age" ON "conversations" USING btree ("last_turn_at","id");
--> statement-breakpoint
CREATE INDEX "conversations_latest_by_distinct_id" ON "conversations" USING btree ("project_id","distinct_id","last_turn_at");
--> statement-breakpoint
CREATE INDEX "conversations_latest_by_user" ON "conversations" USING btree ("project_id","user_id","last_turn_at","id") WHERE "conversations"."user_verified";
--> statement-breakpoint
CREATE INDEX "identity_secrets_by_project" ON "identity_secrets" USING btree ("project_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "inbox_preferences_by_number" ON "inbox_preferences" USING btree ("number");
--> statement-breakpoint
CREATE INDEX "inbox_preferences_due" ON "inbox_preferences" USING btree ("look_at") WHERE "inbox_preferences"."look_at" is not null;
--> statement-breakpoint
CREATE INDEX "message_keys_by_message" ON "message_keys" USING btree ("message_id");
--> statement-breakpoint
CREATE INDEX "messages_to_everyone" ON "messages" USING btree ("project_id","created_at","id") WHERE "messages"."to_everyone";
--> statement-breakpoint
CREATE INDEX "messages_by_time" ON "messages" USING btree ("project_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "messages_by_age" ON "messages" USING btree ("created_at","id");
--> statement-breakpoint
CREATE INDEX "messages_waiting" ON "messages" USING btree ("created_at") WHERE "messages"."is_waiting";
--> statement-breakpoint
CREATE INDEX "person_ids_by_person" ON "person_ids" USING btree ("project_id","person_id");
--> statement-breakpoint
CREATE INDEX "reads_by_message" ON "reads" USING btree ("message_id");
--> statement-breakpoint
CREATE INDEX "recipients_by_message" ON "recipients" USING btree ("message_id");
--> statement-breakpoint
CREATE INDEX "support_settings_by_mail_key" ON "support_settings" USING btree ("mail_key") WHERE "support_settings"."mail_key" is not null;
--> statement-breakpoint
CREATE INDEX "turns_by_word" ON "turns" USING gin ("words") WITH (gin_pending_list_limit=128);
--> statement-breakpoint
CREATE UNIQUE INDEX "turns_once" ON "turns" USING btree ("conversation_id","idempotency_key") WHERE "turns"."idempotency_key" is not null;
--> statement-breakpoint
ALTER TABLE "conversations" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
--> statement-breakpoint
CREATE FUNCTION "count_conversation"(of "conversations", change integer) RETURNS void LANGUAGE sql AS $$
  INSERT INTO "conversation_count_changes"
    ("project_id", "label_id", "status", "snoozed", "assignee_id", "team_id", "priority", "change")
  SELECT of."project_id", label, of."status", of."is_snoozed",
    coalesce(of."assignee_id", ''), coalesce(of."team_id", ''), of."priority", change
  FROM unnest(of."label_ids" || ''::text) AS label
  WHERE of."status" <> 'resolved'
$$;
--> statement-breakpoint
CREATE FUNCTION "count_conversations"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN PERFORM "count_conversation"(OLD, -1); END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM "count_conversation"(NEW, 1); END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "conversations_counted" AFTER INSERT OR DELETE ON "conversations"
  FOR EACH ROW EXECUTE FUNCTION "count_conversations"();
--> statement-breakpoint
CREATE TRIGGER "conversations_recounted" AFTER UPDATE ON "conversations" FOR EACH ROW
  WHEN ((OLD."status", OLD."is_snoozed", OLD."assignee_id", OLD."team_id", OLD."priority", OLD."label_ids")
    IS DISTINCT FROM (NEW."status", NEW."is_snoozed", NEW."assignee_id", NEW."team_id", NEW."priority", NEW."label_ids"))
  EXECUTE FUNCTION "count_conversations"();
