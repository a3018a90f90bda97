CREATE TABLE "subscribers" (
	"project_id" text NOT NULL,
	"subscription_id" text NOT NULL,
	"sub" text NOT NULL,
	"unsubscribed_at" timestamp (3) with time zone,
	CONSTRAINT "subscribers_project_id_subscription_id_sub_pk" PRIMARY KEY("project_id","subscription_id","sub")
);
--> statement-breakpoint
CREATE TABLE "subscription_mails" (
	"id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"subscription_id" text NOT NULL,
	"sub" text NOT NULL,
	"running_since" timestamp (3) with time zone NOT NULL,
	"is_last" boolean NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"company_id" text NOT NULL,
	"target_kind" text NOT NULL,
	"target_id" text NOT NULL,
	"schedule" json NOT NULL,
	"enabled" boolean NOT NULL,
	"paused_reason" text,
	"next_at" timestamp (3) with time zone,
	"running_since" timestamp (3) with time zone,
	"is_requested" boolean DEFAULT false NOT NULL,
	"step_at" timestamp (3) with time zone,
	"last_sent_at" timestamp (3) with time zone,
	"failed_at" timestamp (3) with time zone,
	"failure" text,
	"unopened" integer DEFAULT 0 NOT NULL,
	"created_by_sub" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "subscriptions_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
ALTER TABLE "subscribers" ADD CONSTRAINT "subscribers_project_id_subscription_id_subscriptions_project_id_id_fk" FOREIGN KEY ("project_id","subscription_id") REFERENCES "public"."subscriptions"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscription_mails" ADD CONSTRAINT "subscription_mails_project_id_subscription_id_subscriptions_project_id_id_fk" FOREIGN KEY ("project_id","subscription_id") REFERENCES "public"."subscriptions"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "subscribers_by_sub" ON "subscribers" USING btree ("sub");--> statement-breakpoint
CREATE INDEX "subscription_mails_by_subscription" ON "subscription_mails" USING btree ("project_id","subscription_id","created_at");--> statement-breakpoint
CREATE INDEX "subscription_mails_by_sub" ON "subscription_mails" USING btree ("sub");--> statement-breakpoint
CREATE INDEX "subscription_mails_by_age" ON "subscription_mails" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "subscriptions_due" ON "subscriptions" USING btree ("step_at") WHERE "subscriptions"."step_at" is not null;--> statement-breakpoint
CREATE INDEX "subscriptions_by_target" ON "subscriptions" USING btree ("project_id","target_kind","target_id");