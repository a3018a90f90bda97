CREATE TABLE "accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"password" text,
	"totp_secret" text,
	"totp_step" bigint DEFAULT 0 NOT NULL,
	"permissions" json DEFAULT '[]' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "accounts_email_unique" UNIQUE("email")
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
CREATE INDEX "oidc_records_by_grant" ON "oidc_records" USING btree ("grant_hash") WHERE "oidc_records"."grant_hash" is not null;--> statement-breakpoint
CREATE INDEX "oidc_records_by_uid" ON "oidc_records" USING btree ("uid_hash") WHERE "oidc_records"."uid_hash" is not null;--> statement-breakpoint
CREATE INDEX "oidc_records_by_user_code" ON "oidc_records" USING btree ("user_code_hash") WHERE "oidc_records"."user_code_hash" is not null;--> statement-breakpoint
CREATE INDEX "oidc_records_by_account" ON "oidc_records" USING btree ("account_id") WHERE "oidc_records"."account_id" is not null;--> statement-breakpoint
CREATE INDEX "oidc_records_by_expiry" ON "oidc_records" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "passkeys_by_account" ON "passkeys" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "sessions_by_account" ON "sessions" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "sessions_by_expiry" ON "sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "tickets_by_account" ON "tickets" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "tickets_by_expiry" ON "tickets" USING btree ("expires_at");