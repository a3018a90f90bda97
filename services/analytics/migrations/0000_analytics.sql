CREATE TABLE "archive_files" (
	"key" text PRIMARY KEY NOT NULL,
	"project" text,
	"bucket" integer,
	"buckets" integer,
	"bytes" bigint NOT NULL,
	"first_occurred_at" timestamp(3) with time zone NOT NULL,
	"last_occurred_at" timestamp(3) with time zone NOT NULL,
	"event_names" text[],
	"replaces" text[] NOT NULL
);
--> statement-breakpoint
CREATE INDEX "archive_files_by_project" ON "archive_files" USING btree ("project","last_occurred_at");--> statement-breakpoint
CREATE INDEX "archive_files_by_replaced" ON "archive_files" USING gin ("replaces");