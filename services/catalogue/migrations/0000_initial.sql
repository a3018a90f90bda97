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
CREATE TABLE "api_tokens" (
	"id" text PRIMARY KEY NOT NULL,
	"company_id" text NOT NULL,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"sub" text,
	"created_by" text,
	"rotated_by" text,
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
CREATE TABLE "applied_memberships" (
	"member_hash" text PRIMARY KEY NOT NULL,
	"revision" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_entries" (
	"id" text PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"company_id" text,
	"project_id" text,
	"actor_id" text,
	"token_id" text,
	"action" text NOT NULL,
	"object" text NOT NULL,
	"outcome" text NOT NULL,
	"entry" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "companies" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"tier" text NOT NULL,
	"cycle" text NOT NULL,
	"entitlements" text NOT NULL,
	"removed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "erasure_parts" (
	"erasure_id" text NOT NULL,
	"region" text NOT NULL,
	"service" text NOT NULL,
	"done_at" timestamp (3) with time zone,
	CONSTRAINT "erasure_parts_erasure_id_region_service_pk" PRIMARY KEY("erasure_id","region","service")
);
--> statement-breakpoint
CREATE TABLE "erasures" (
	"id" text PRIMARY KEY NOT NULL,
	"subject" text,
	"kind" text NOT NULL,
	"project_id" text,
	"company_id" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "members" (
	"company_id" text NOT NULL,
	"sub" text NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"role" text DEFAULT 'viewer' NOT NULL,
	"avatar_url" text,
	"push_subscriptions" text NOT NULL,
	"generation" text,
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
CREATE TABLE "person_ids" (
	"project_id" text NOT NULL,
	"distinct_id" text NOT NULL,
	"person_id" text NOT NULL,
	"joined_at" timestamp (3) with time zone NOT NULL,
	"joined_by" json NOT NULL,
	CONSTRAINT "person_ids_project_id_distinct_id_pk" PRIMARY KEY("project_id","distinct_id")
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
	"default_language" text NOT NULL,
	"allowed_origins" text[],
	"wires" text[],
	"flag_approvals" smallint
);
--> statement-breakpoint
CREATE TABLE "published_offsets" (
	"log_partition" integer PRIMARY KEY NOT NULL,
	"next_offset" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reports" (
	"project_id" text NOT NULL,
	"id" text NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"public_annotations" boolean DEFAULT false NOT NULL,
	"query" text,
	"refresh" text,
	"generation" text,
	CONSTRAINT "reports_project_id_id_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "throttles" (
	"project_id" text PRIMARY KEY NOT NULL,
	"events_per_second" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "erasure_parts" ADD CONSTRAINT "erasure_parts_erasure_id_erasures_id_fk" FOREIGN KEY ("erasure_id") REFERENCES "public"."erasures"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "project_keys" ADD CONSTRAINT "project_keys_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_company_id_companies_id_fk" FOREIGN KEY ("company_id") REFERENCES "public"."companies"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "reports" ADD CONSTRAINT "reports_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "throttles" ADD CONSTRAINT "throttles_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "api_tokens_by_company" ON "api_tokens" USING btree ("company_id","id");
--> statement-breakpoint
CREATE INDEX "api_tokens_by_sub" ON "api_tokens" USING btree ("sub") WHERE "api_tokens"."sub" is not null;
--> statement-breakpoint
CREATE INDEX "api_tokens_by_creator" ON "api_tokens" USING btree ("created_by") WHERE "api_tokens"."created_by" is not null;
--> statement-breakpoint
CREATE INDEX "audit_entries_by_time" ON "audit_entries" USING btree ("at","id");
--> statement-breakpoint
CREATE INDEX "audit_entries_by_company" ON "audit_entries" USING btree ("company_id","at","id");
--> statement-breakpoint
CREATE INDEX "audit_entries_by_project" ON "audit_entries" USING btree ("project_id","at","id");
--> statement-breakpoint
CREATE INDEX "audit_entries_by_object" ON "audit_entries" USING btree ("object","at","id");
--> statement-breakpoint
CREATE INDEX "audit_entries_by_actor" ON "audit_entries" USING btree ("company_id","actor_id","at","id");
--> statement-breakpoint
CREATE INDEX "audit_entries_by_token" ON "audit_entries" USING btree ("company_id","token_id","at","id") WHERE "audit_entries"."token_id" is not null;
--> statement-breakpoint
CREATE INDEX "audit_entries_by_action" ON "audit_entries" USING btree ("company_id","action","at","id");
--> statement-breakpoint
CREATE INDEX "audit_entries_refused" ON "audit_entries" USING btree ("company_id","at","id") WHERE "audit_entries"."outcome" = 'refused';
--> statement-breakpoint
CREATE INDEX "companies_by_plan" ON "companies" USING btree ("tier","cycle");
--> statement-breakpoint
CREATE INDEX "companies_removed" ON "companies" USING btree ("removed_at") WHERE "companies"."removed_at" is not null;
--> statement-breakpoint
CREATE INDEX "erasure_parts_open" ON "erasure_parts" USING btree ("erasure_id") WHERE "erasure_parts"."done_at" is null;
--> statement-breakpoint
CREATE INDEX "erasures_done" ON "erasures" USING btree ("created_at") WHERE "erasures"."subject" is null;
--> statement-breakpoint
CREATE INDEX "erasures_of_project" ON "erasures" USING btree ("project_id","id") WHERE "erasures"."project_id" is not null;
--> statement-breakpoint
CREATE INDEX "erasures_of_company" ON "erasures" USING btree ("company_id","id") WHERE "erasures"."company_id" is not null;
--> statement-breakpoint
CREATE INDEX "members_by_sub" ON "members" USING btree ("sub","company_id");
--> statement-breakpoint
CREATE INDEX "person_ids_by_person" ON "person_ids" USING btree ("project_id","person_id");
--> statement-breakpoint
CREATE INDEX "project_keys_by_project" ON "project_keys" USING btree ("project_id","created_at");
--> statement-breakpoint
CREATE INDEX "projects_of_company" ON "projects" USING btree ("company_id","id");
--> statement-breakpoint
ALTER TABLE "outbox" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, vacuum_truncate = false);
--> statement-breakpoint
CREATE FUNCTION "audit_entries_are_final"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' THEN
		IF OLD.at < now() - interval '30 days' THEN
			RETURN OLD;
		END IF;
	END IF;
	RAISE EXCEPTION 'Entries of the audit trail cannot be changed, or removed within 30 days'
		USING ERRCODE = 'insufficient_privilege';
END
$$;
--> statement-breakpoint
CREATE TRIGGER "audit_entries_are_final" BEFORE UPDATE OR DELETE ON "audit_entries"
	FOR EACH ROW EXECUTE FUNCTION "audit_entries_are_final"();
--> statement-breakpoint
CREATE TRIGGER "audit_entries_are_not_truncated" BEFORE TRUNCATE ON "audit_entries"
	FOR EACH STATEMENT EXECUTE FUNCTION "audit_entries_are_final"();
