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
CREATE TABLE "support_settings" (
	"project_id" text PRIMARY KEY NOT NULL,
	"version" integer NOT NULL,
	"settings" json NOT NULL,
	"keep_assignee_days" integer
);
--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "assignee_id" text;
--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "team_id" text;
--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "priority" text DEFAULT 'normal' NOT NULL;
--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "label_ids" text[] DEFAULT '{}' NOT NULL;
--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "is_snoozed" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "snoozed_until" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "first_reply_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "resolved_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "visitor_read_at" timestamp (3) with time zone;
--> statement-breakpoint
ALTER TABLE "conversation_history" ADD CONSTRAINT "conversation_history_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "conversation_mentions" ADD CONSTRAINT "conversation_mentions_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "conversation_notes" ADD CONSTRAINT "conversation_notes_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "conversation_reads" ADD CONSTRAINT "conversation_reads_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "conversation_count_changes_by_project" ON "conversation_count_changes" USING btree ("project_id");
--> statement-breakpoint
CREATE INDEX "conversation_counts_empty" ON "conversation_counts" USING btree ("project_id") WHERE "conversation_counts"."count" = 0;
--> statement-breakpoint
CREATE INDEX "conversation_mentions_by_conversation" ON "conversation_mentions" USING btree ("conversation_id");
--> statement-breakpoint
-- brief: a partial index of no rows yet; the table of a few million conversations is read once
CREATE INDEX IF NOT EXISTS "conversations_latest_by_assignee" ON "conversations" USING btree ("project_id","assignee_id","last_turn_at","id") WHERE "conversations"."assignee_id" is not null;
--> statement-breakpoint
-- brief: a partial index of no rows yet; the table of a few million conversations is read once
CREATE INDEX IF NOT EXISTS "conversations_latest_by_team" ON "conversations" USING btree ("project_id","team_id","last_turn_at","id") WHERE "conversations"."team_id" is not null;
--> statement-breakpoint
-- brief: a partial index of no rows yet; the table of a few million conversations is read once
CREATE INDEX IF NOT EXISTS "conversations_latest_by_priority" ON "conversations" USING btree ("project_id","priority","last_turn_at","id") WHERE "conversations"."priority" <> 'normal';
--> statement-breakpoint
-- brief: a partial index of no rows yet; the table of a few million conversations is read once
CREATE INDEX IF NOT EXISTS "conversations_snoozed" ON "conversations" USING btree ("project_id","last_turn_at","id") WHERE "conversations"."is_snoozed";
--> statement-breakpoint
-- brief: a partial index of no rows yet; the table of a few million conversations is read once
CREATE INDEX IF NOT EXISTS "conversations_to_wake" ON "conversations" USING btree ("snoozed_until") WHERE "conversations"."is_snoozed";
--> statement-breakpoint
-- brief: a partial index of no rows yet; the table of a few million conversations is read once
CREATE INDEX IF NOT EXISTS "conversations_by_label" ON "conversations" USING gin ("label_ids") WHERE "conversations"."label_ids" <> '{}';
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
-- contract: the trigger refuses nothing; it adds rows to a new table
CREATE TRIGGER "conversations_counted" AFTER INSERT OR DELETE ON "conversations"
  FOR EACH ROW EXECUTE FUNCTION "count_conversations"();
--> statement-breakpoint
-- contract: as above
CREATE TRIGGER "conversations_recounted" AFTER UPDATE ON "conversations" FOR EACH ROW
  WHEN ((OLD."status", OLD."is_snoozed", OLD."assignee_id", OLD."team_id", OLD."priority", OLD."label_ids")
    IS DISTINCT FROM (NEW."status", NEW."is_snoozed", NEW."assignee_id", NEW."team_id", NEW."priority", NEW."label_ids"))
  EXECUTE FUNCTION "count_conversations"();
--> statement-breakpoint
INSERT INTO "conversation_counts" ("project_id", "label_id", "status", "snoozed", "assignee_id", "team_id", "priority", "count")
SELECT "project_id", '', "status", false, '', '', 'normal', count(*)
FROM "conversations" WHERE "status" <> 'resolved' GROUP BY 1, 3;
