CREATE TABLE "attempts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "attempts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"message_seq" bigint NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"status" integer,
	"error" text,
	"response" text,
	"duration_ms" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "messages_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"project_id" text NOT NULL,
	"webhook_id" text NOT NULL,
	"id" text NOT NULL,
	"type" text NOT NULL,
	"subject" text NOT NULL,
	"body" text NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "messages_once" UNIQUE("project_id","webhook_id","id")
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"url" text NOT NULL,
	"description" text NOT NULL,
	"types" text[] NOT NULL,
	"events" text NOT NULL,
	"enabled" boolean NOT NULL,
	"ordered" boolean NOT NULL,
	"secret" text NOT NULL,
	"previous_secret" text,
	"previous_until" timestamp (3) with time zone,
	"disabled_reason" text,
	"failing_since" timestamp (3) with time zone,
	"paused_until" timestamp (3) with time zone,
	"discarded" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "webhooks_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
ALTER TABLE "attempts" ADD CONSTRAINT "attempts_message_seq_messages_seq_fk" FOREIGN KEY ("message_seq") REFERENCES "public"."messages"("seq") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_project_id_webhook_id_webhooks_project_id_id_fk" FOREIGN KEY ("project_id","webhook_id") REFERENCES "public"."webhooks"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "attempts_of_message" ON "attempts" USING btree ("message_seq","id");--> statement-breakpoint
CREATE INDEX "messages_due" ON "messages" USING btree ("project_id","webhook_id","next_at","seq") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "messages_in_order" ON "messages" USING btree ("project_id","webhook_id","seq") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "messages_newest" ON "messages" USING btree ("project_id","webhook_id","seq");--> statement-breakpoint
CREATE INDEX "messages_by_age" ON "messages" USING btree ("created_at");