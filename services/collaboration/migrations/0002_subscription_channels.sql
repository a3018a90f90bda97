CREATE TABLE "subscription_channels" (
	"project_id" text NOT NULL,
	"subscription_id" text NOT NULL,
	"id" text NOT NULL,
	"position" integer NOT NULL,
	"kind" text NOT NULL,
	"encrypted_url" text NOT NULL,
	"short_url" text NOT NULL,
	CONSTRAINT "subscription_channels_project_id_subscription_id_id_pk" PRIMARY KEY("project_id","subscription_id","id")
);
--> statement-breakpoint
ALTER TABLE "subscription_channels" ADD CONSTRAINT "subscription_channels_project_id_subscription_id_subscriptions_project_id_id_fk" FOREIGN KEY ("project_id","subscription_id") REFERENCES "public"."subscriptions"("project_id","id") ON DELETE cascade ON UPDATE no action;