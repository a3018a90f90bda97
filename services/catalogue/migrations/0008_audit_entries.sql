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
CREATE INDEX "audit_entries_by_time" ON "audit_entries" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "audit_entries_by_company" ON "audit_entries" USING btree ("company_id","at","id");--> statement-breakpoint
CREATE INDEX "audit_entries_by_project" ON "audit_entries" USING btree ("project_id","at","id");--> statement-breakpoint
CREATE INDEX "audit_entries_by_object" ON "audit_entries" USING btree ("object","at","id");--> statement-breakpoint
CREATE INDEX "audit_entries_by_actor" ON "audit_entries" USING btree ("company_id","actor_id","at","id");--> statement-breakpoint
CREATE INDEX "audit_entries_by_token" ON "audit_entries" USING btree ("company_id","token_id","at","id") WHERE "audit_entries"."token_id" is not null;--> statement-breakpoint
CREATE INDEX "audit_entries_by_action" ON "audit_entries" USING btree ("company_id","action","at","id");--> statement-breakpoint
CREATE INDEX "audit_entries_refused" ON "audit_entries" USING btree ("company_id","at","id") WHERE "audit_entries"."outcome" = 'refused';--> statement-breakpoint
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
-- contract: the table is new
CREATE TRIGGER "audit_entries_are_final" BEFORE UPDATE OR DELETE ON "audit_entries"
	FOR EACH ROW EXECUTE FUNCTION "audit_entries_are_final"();
--> statement-breakpoint
-- contract: the table is new
CREATE TRIGGER "audit_entries_are_not_truncated" BEFORE TRUNCATE ON "audit_entries"
	FOR EACH STATEMENT EXECUTE FUNCTION "audit_entries_are_final"();
