CREATE TABLE "ai_markup" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"percent" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "one_row" CHECK ("ai_markup"."only")
);
--> statement-breakpoint
CREATE TABLE "ai_models" (
	"id" text PRIMARY KEY NOT NULL,
	"display_name" text NOT NULL,
	"input" bigint NOT NULL,
	"output" bigint NOT NULL,
	"cache_write_5m" bigint NOT NULL,
	"cache_write_1h" bigint NOT NULL,
	"cache_read" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "companies" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"tier" text NOT NULL,
	"cycle" text NOT NULL,
	"entitlements" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "members" (
	"company_id" text NOT NULL,
	"sub" text NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"avatar_url" text,
	"push_subscriptions" text NOT NULL,
	CONSTRAINT "members_company_id_sub_pk" PRIMARY KEY("company_id","sub")
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "outbox_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"key" text NOT NULL,
	"value" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "plans" (
	"tier" text NOT NULL,
	"cycle" text NOT NULL,
	"position" bigint GENERATED ALWAYS AS IDENTITY (sequence name "plans_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"trial_days" integer NOT NULL,
	"priced" boolean NOT NULL,
	"entitlements" text NOT NULL,
	CONSTRAINT "plans_tier_cycle_pk" PRIMARY KEY("tier","cycle")
);
--> statement-breakpoint
CREATE TABLE "project_keys" (
	"key" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "projects" (
	"id" text PRIMARY KEY NOT NULL,
	"company_id" text NOT NULL,
	"name" text NOT NULL,
	"region" text NOT NULL,
	"default_language" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reports" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	CONSTRAINT "reports_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "project_keys" ADD CONSTRAINT "project_keys_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reports" ADD CONSTRAINT "reports_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "companies_by_plan" ON "companies" USING btree ("tier","cycle");--> statement-breakpoint
CREATE INDEX "project_keys_by_project" ON "project_keys" USING btree ("project_id","created_at");--> statement-breakpoint
CREATE INDEX "projects_by_company" ON "projects" USING btree ("company_id");