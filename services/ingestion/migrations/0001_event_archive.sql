CREATE TABLE "archive_dead_letters" (
	"log_partition" integer NOT NULL,
	"log_offset" bigint NOT NULL,
	"log_line" integer NOT NULL,
	"recorded_at" bigint NOT NULL,
	"event_key" uuid,
	"reason" text NOT NULL,
	"seen_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "archive_dead_letters_pk" PRIMARY KEY("log_partition","log_offset","log_line","recorded_at")
);
--> statement-breakpoint
CREATE TABLE "archive_duplicates" (
	"event_key" uuid NOT NULL,
	"log_partition" integer NOT NULL,
	"log_offset" bigint NOT NULL,
	"log_line" integer NOT NULL,
	"accepted_at" timestamp(3) with time zone NOT NULL,
	"seen_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "archive_duplicates_pk" PRIMARY KEY("event_key","log_partition","log_offset","log_line")
);
--> statement-breakpoint
CREATE TABLE "archive_progress" (
	"log_partition" integer PRIMARY KEY NOT NULL,
	"next_offset" bigint NOT NULL,
	"recorded_at" bigint NOT NULL,
	"accepted_at" timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "archive_segments" (
	"log_partition" integer NOT NULL,
	"first_offset" bigint NOT NULL,
	"first_at" bigint NOT NULL,
	"last_offset" bigint NOT NULL,
	"earliest_at" bigint NOT NULL,
	"latest_at" bigint NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"stored_at" timestamp(3) with time zone,
	"files" integer,
	"events" integer,
	"duplicates" integer,
	CONSTRAINT "archive_segments_pk" PRIMARY KEY("log_partition","first_offset","first_at")
);
--> statement-breakpoint
CREATE TABLE "archive_sightings" (
	"event_key" uuid PRIMARY KEY NOT NULL,
	"log_partition" integer NOT NULL,
	"log_offset" bigint NOT NULL,
	"log_line" integer NOT NULL,
	"accepted_at" timestamp(3) with time zone NOT NULL,
	"seen_at" timestamp(3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "archive_dead_letters_by_event" ON "archive_dead_letters" USING btree ("event_key");--> statement-breakpoint
CREATE INDEX "archive_dead_letters_by_age" ON "archive_dead_letters" USING btree ("seen_at");--> statement-breakpoint
CREATE INDEX "archive_duplicates_by_age" ON "archive_duplicates" USING btree ("seen_at");--> statement-breakpoint
CREATE INDEX "archive_segments_by_end" ON "archive_segments" USING btree ("log_partition","last_offset");--> statement-breakpoint
CREATE INDEX "archive_segments_by_age" ON "archive_segments" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "archive_sightings_by_age" ON "archive_sightings" USING btree ("seen_at");