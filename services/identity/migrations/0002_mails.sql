CREATE TABLE "mails" (
	"id" text PRIMARY KEY NOT NULL,
	"content" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "mails_due" ON "mails" USING btree ("due_at");