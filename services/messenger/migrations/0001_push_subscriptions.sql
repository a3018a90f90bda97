CREATE TABLE "push_subscriptions" (
	"id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"sub" text NOT NULL,
	"endpoint" text NOT NULL,
	"p256dh" text NOT NULL,
	"auth" text NOT NULL,
	"public_key" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "waiting_pushes" (
	"conversation_id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"subscription_ids" text[]
);
--> statement-breakpoint
ALTER TABLE "waiting_pushes" ADD CONSTRAINT "waiting_pushes_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "push_subscriptions_by_endpoint" ON "push_subscriptions" USING btree ("endpoint","project_id");--> statement-breakpoint
CREATE INDEX "push_subscriptions_by_project" ON "push_subscriptions" USING btree ("project_id","sub");--> statement-breakpoint
CREATE INDEX "push_subscriptions_by_sub" ON "push_subscriptions" USING btree ("sub");--> statement-breakpoint
CREATE INDEX "waiting_pushes_due" ON "waiting_pushes" USING btree ("due_at");