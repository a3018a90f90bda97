CREATE TABLE "api_tokens" (
	"id" text PRIMARY KEY NOT NULL,
	"company_id" text NOT NULL,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"sub" text,
	"created_by" text,
	"permissions" text NOT NULL,
	"project_ids" text,
	"hash" text NOT NULL,
	"previous_hash" text,
	"previous_until" timestamp (3) with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"rotated_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_tokens_by_company" ON "api_tokens" USING btree ("company_id","id");--> statement-breakpoint
CREATE INDEX "api_tokens_by_sub" ON "api_tokens" USING btree ("sub") WHERE "api_tokens"."sub" is not null;--> statement-breakpoint
CREATE INDEX "api_tokens_by_creator" ON "api_tokens" USING btree ("created_by") WHERE "api_tokens"."created_by" is not null;