CREATE TABLE "duplicate_events" (
	"event_key" uuid NOT NULL,
	"log_partition" integer NOT NULL,
	"log_offset" bigint NOT NULL,
	"log_line" integer NOT NULL,
	"accepted_at" timestamp(3) with time zone NOT NULL,
	"seen_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "duplicate_events_pk" PRIMARY KEY("event_key","log_partition","log_offset","log_line")
);
--> statement-breakpoint
CREATE TABLE "event_dead_letters" (
	"log_partition" integer NOT NULL,
	"log_offset" bigint NOT NULL,
	"log_line" integer NOT NULL,
	"recorded_at" bigint NOT NULL,
	"event_key" uuid,
	"reason" text NOT NULL,
	"seen_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "event_dead_letters_pk" PRIMARY KEY("log_partition","log_offset","log_line","recorded_at")
);
--> statement-breakpoint
CREATE TABLE "event_progress" (
	"log_partition" integer PRIMARY KEY NOT NULL,
	"next_offset" bigint NOT NULL,
	"recorded_at" bigint NOT NULL,
	"accepted_at" timestamp(3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "event_segments" (
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
	CONSTRAINT "event_segments_pk" PRIMARY KEY("log_partition","first_offset","first_at")
);
--> statement-breakpoint
CREATE TABLE "replay_chunks" (
	"project_id" text NOT NULL,
	"session_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"hash" text NOT NULL,
	"first_at" timestamp (3) with time zone NOT NULL,
	"log_offset" bigint NOT NULL,
	CONSTRAINT "replay_chunks_project_id_session_id_seq_hash_pk" PRIMARY KEY("project_id","session_id","seq","hash")
);
--> statement-breakpoint
CREATE TABLE "replay_people" (
	"project_id" text NOT NULL,
	"session_id" text NOT NULL,
	"distinct_id" text NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "replay_people_project_id_session_id_distinct_id_pk" PRIMARY KEY("project_id","session_id","distinct_id")
);
--> statement-breakpoint
CREATE TABLE "replays" (
	"project_id" text NOT NULL,
	"session_id" text NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"first_at" timestamp (3) with time zone,
	"last_at" timestamp (3) with time zone,
	"highest_seq" bigint DEFAULT -1 NOT NULL,
	"seqs" bigint DEFAULT 0 NOT NULL,
	"chunks" bigint DEFAULT 0 NOT NULL,
	"events" bigint DEFAULT 0 NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"stored_bytes" bigint DEFAULT 0 NOT NULL,
	"duplicates" bigint DEFAULT 0 NOT NULL,
	"masked" boolean DEFAULT true NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	"erased_at" timestamp (3) with time zone,
	CONSTRAINT "replays_project_id_session_id_pk" PRIMARY KEY("project_id","session_id")
);
--> statement-breakpoint
CREATE TABLE "seen_events" (
	"event_key" uuid PRIMARY KEY NOT NULL,
	"log_partition" integer NOT NULL,
	"log_offset" bigint NOT NULL,
	"log_line" integer NOT NULL,
	"accepted_at" timestamp(3) with time zone NOT NULL,
	"seen_at" timestamp(3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "duplicate_events_by_age" ON "duplicate_events" USING btree ("seen_at");--> statement-breakpoint
CREATE INDEX "event_dead_letters_by_event" ON "event_dead_letters" USING btree ("event_key");--> statement-breakpoint
CREATE INDEX "event_dead_letters_by_age" ON "event_dead_letters" USING btree ("seen_at");--> statement-breakpoint
CREATE INDEX "event_segments_by_end" ON "event_segments" USING btree ("log_partition","last_offset");--> statement-breakpoint
CREATE INDEX "event_segments_by_age" ON "event_segments" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "replay_people_newest" ON "replay_people" USING btree ("project_id","distinct_id","received_at","session_id");--> statement-breakpoint
CREATE INDEX "replays_newest" ON "replays" USING btree ("project_id","received_at","session_id") WHERE "replays"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "replays_to_erase" ON "replays" USING btree ("deleted_at") WHERE "replays"."deleted_at" is not null and "replays"."erased_at" is null;--> statement-breakpoint
CREATE INDEX "seen_events_by_age" ON "seen_events" USING btree ("seen_at");