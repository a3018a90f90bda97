CREATE TABLE "company_domains" (
	"company_id" text NOT NULL,
	"domain" text NOT NULL,
	"challenge" text NOT NULL,
	"verified_at" timestamp (3) with time zone,
	CONSTRAINT "company_domains_company_id_domain_pk" PRIMARY KEY("company_id","domain")
);
--> statement-breakpoint
CREATE TABLE "group_roles" (
	"company_id" text NOT NULL,
	"group_name" text NOT NULL,
	"role" text NOT NULL,
	CONSTRAINT "group_roles_company_id_group_name_pk" PRIMARY KEY("company_id","group_name")
);
--> statement-breakpoint
CREATE TABLE "scim_group_members" (
	"company_id" text NOT NULL,
	"group_id" text NOT NULL,
	"user_id" text NOT NULL,
	CONSTRAINT "scim_group_members_company_id_group_id_user_id_pk" PRIMARY KEY("company_id","group_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "scim_groups" (
	"company_id" text NOT NULL,
	"id" text NOT NULL,
	"group_name" text NOT NULL,
	"external_id" text,
	"attributes" json NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "scim_groups_company_id_id_pk" PRIMARY KEY("company_id","id")
);
--> statement-breakpoint
CREATE TABLE "scim_tokens" (
	"hash" text PRIMARY KEY NOT NULL,
	"id" text NOT NULL,
	"company_id" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "scim_tokens_id_unique" UNIQUE("id")
);
--> statement-breakpoint
CREATE TABLE "scim_users" (
	"company_id" text NOT NULL,
	"id" text NOT NULL,
	"account_id" text NOT NULL,
	"user_name" text NOT NULL,
	"external_id" text,
	"attributes" json NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "scim_users_company_id_id_pk" PRIMARY KEY("company_id","id")
);
--> statement-breakpoint
CREATE TABLE "upstream_accounts" (
	"provider" text NOT NULL,
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"account_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "upstream_accounts_provider_issuer_subject_pk" PRIMARY KEY("provider","issuer","subject")
);
--> statement-breakpoint
CREATE TABLE "upstream_providers" (
	"company_id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"issuer" text NOT NULL,
	"client_id" text NOT NULL,
	"client_secret" text NOT NULL,
	"scopes" json NOT NULL,
	"groups_claim" text NOT NULL,
	"is_enforced" boolean NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "company_domains_verified" ON "company_domains" USING btree ("domain") WHERE "company_domains"."verified_at" is not null;--> statement-breakpoint
CREATE INDEX "scim_group_members_by_user" ON "scim_group_members" USING btree ("company_id","user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "scim_groups_by_name" ON "scim_groups" USING btree ("company_id","group_name");--> statement-breakpoint
CREATE INDEX "scim_tokens_by_company" ON "scim_tokens" USING btree ("company_id");--> statement-breakpoint
CREATE UNIQUE INDEX "scim_users_by_name" ON "scim_users" USING btree ("company_id","user_name");--> statement-breakpoint
CREATE INDEX "scim_users_by_external_id" ON "scim_users" USING btree ("company_id","external_id");--> statement-breakpoint
CREATE INDEX "scim_users_by_account" ON "scim_users" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "upstream_accounts_by_account" ON "upstream_accounts" USING btree ("account_id");