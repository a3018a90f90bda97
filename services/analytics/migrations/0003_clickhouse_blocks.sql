CREATE TABLE "clickhouse_blocks" (
	"log_partition" integer NOT NULL,
	"first_offset" bigint NOT NULL,
	"first_at" bigint NOT NULL,
	"last_offset" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "clickhouse_blocks_pk" PRIMARY KEY("log_partition","first_offset","first_at")
);
--> statement-breakpoint
CREATE INDEX "clickhouse_blocks_by_age" ON "clickhouse_blocks" USING btree ("created_at");