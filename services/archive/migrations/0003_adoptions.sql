CREATE TABLE "adoptions" (
	"requested_at" timestamp(3) with time zone PRIMARY KEY DEFAULT now() NOT NULL
);
--> statement-breakpoint
-- Once for the files of a project each, from before files had many projects.
INSERT INTO "adoptions" DEFAULT VALUES;
