CREATE TABLE "accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"password" text,
	"totp_secret" text,
	"totp_step" bigint DEFAULT 0 NOT NULL,
	"permissions" json DEFAULT '[]' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "accounts_email_unique" UNIQUE("email")
);
--> statement-breakpoint
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
CREATE TABLE "mails" (
	"id" text PRIMARY KEY NOT NULL,
	"content" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oidc_records" (
	"kind" text NOT NULL,
	"hash" text NOT NULL,
	"payload" text NOT NULL,
	"account_id" text,
	"grant_hash" text,
	"uid_hash" text,
	"user_code_hash" text,
	"consumed_at" timestamp (3) with time zone,
	"successor_hash" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "oidc_records_kind_hash_pk" PRIMARY KEY("kind","hash")
);
--> statement-breakpoint
CREATE TABLE "passkeys" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"public_key" "bytea" NOT NULL,
	"counter" bigint NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"account_id" text NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "recovery_codes_account_id_hash_pk" PRIMARY KEY("account_id","hash")
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
CREATE TABLE "sessions" (
	"hash" text PRIMARY KEY NOT NULL,
	"id" text NOT NULL,
	"account_id" text NOT NULL,
	"methods" json NOT NULL,
	"agent" text NOT NULL,
	"address" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "signing_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tickets" (
	"hash" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"account_id" text,
	"data" json NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "unpublished_memberships" (
	"company_id" text NOT NULL,
	"sub" text NOT NULL,
	"content" text,
	"revision" bigint NOT NULL,
	CONSTRAINT "unpublished_memberships_company_id_sub_pk" PRIMARY KEY("company_id","sub")
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
CREATE UNIQUE INDEX "company_domains_verified" ON "company_domains" USING btree ("domain") WHERE "company_domains"."verified_at" is not null;
--> statement-breakpoint
CREATE INDEX "mails_due" ON "mails" USING btree ("due_at");
--> statement-breakpoint
CREATE INDEX "oidc_records_by_grant" ON "oidc_records" USING btree ("grant_hash") WHERE "oidc_records"."grant_hash" is not null;
--> statement-breakpoint
CREATE INDEX "oidc_records_by_uid" ON "oidc_records" USING btree ("uid_hash") WHERE "oidc_records"."uid_hash" is not null;
--> statement-breakpoint
CREATE INDEX "oidc_records_by_user_code" ON "oidc_records" USING btree ("user_code_hash") WHERE "oidc_records"."user_code_hash" is not null;
--> statement-breakpoint
CREATE INDEX "oidc_records_by_account" ON "oidc_records" USING btree ("account_id") WHERE "oidc_records"."account_id" is not null;
--> statement-breakpoint
CREATE INDEX "oidc_records_by_expiry" ON "oidc_records" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "passkeys_by_account" ON "passkeys" USING btree ("account_id");
--> statement-breakpoint
CREATE INDEX "scim_group_members_by_user" ON "scim_group_members" USING btree ("company_id","user_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "scim_groups_by_name" ON "scim_groups" USING btree ("company_id","group_name");
--> statement-breakpoint
CREATE INDEX "scim_tokens_by_company" ON "scim_tokens" USING btree ("company_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "scim_users_by_name" ON "scim_users" USING btree ("company_id","user_name");
--> statement-breakpoint
CREATE INDEX "scim_users_by_external_id" ON "scim_users" USING btree ("company_id","external_id");
--> statement-breakpoint
CREATE INDEX "scim_users_by_account" ON "scim_users" USING btree ("account_id");
--> statement-breakpoint
CREATE INDEX "sessions_by_account" ON "sessions" USING btree ("account_id");
--> statement-breakpoint
CREATE INDEX "sessions_by_expiry" ON "sessions" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "tickets_by_account" ON "tickets" USING btree ("account_id");
--> statement-breakpoint
CREATE INDEX "tickets_by_expiry" ON "tickets" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "tickets_by_company" ON "tickets" USING btree (("data" ->> 'companyId')) WHERE "tickets"."kind" = 'invitation';
--> statement-breakpoint
CREATE INDEX "unpublished_memberships_by_revision" ON "unpublished_memberships" USING btree ("revision");
--> statement-breakpoint
CREATE INDEX "upstream_accounts_by_account" ON "upstream_accounts" USING btree ("account_id");
