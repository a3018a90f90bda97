CREATE TABLE "seen_people" (
	"project_id" text NOT NULL,
	"distinct_id" text NOT NULL,
	"first_seen_at" timestamp (0) with time zone NOT NULL,
	"last_seen_at" timestamp (0) with time zone NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "seen_people_by_id" ON "seen_people" USING btree ("project_id","distinct_id" text_pattern_ops);--> statement-breakpoint
CREATE INDEX "seen_people_by_last" ON "seen_people" USING btree ("project_id","last_seen_at","distinct_id");--> statement-breakpoint
CREATE INDEX "seen_people_by_first" ON "seen_people" USING btree ("project_id","first_seen_at","distinct_id");