CREATE TABLE "applied_positions" (
	"topic" text NOT NULL,
	"partition" integer NOT NULL,
	"next_offset" bigint NOT NULL,
	"as_of" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "applied_positions_topic_partition_pk" PRIMARY KEY("topic","partition")
);
