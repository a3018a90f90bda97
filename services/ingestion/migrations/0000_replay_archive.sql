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
CREATE INDEX "replay_people_newest" ON "replay_people" USING btree ("project_id","distinct_id","received_at","session_id");--> statement-breakpoint
CREATE INDEX "replays_newest" ON "replays" USING btree ("project_id","received_at","session_id") WHERE "replays"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "replays_to_erase" ON "replays" USING btree ("deleted_at") WHERE "replays"."deleted_at" is not null and "replays"."erased_at" is null;