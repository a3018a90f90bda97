CREATE TABLE "archived_offsets" (
	"region" text PRIMARY KEY NOT NULL,
	"offsets" bigint[] NOT NULL
);
