CREATE TABLE "published_offsets" (
	"partition" integer PRIMARY KEY NOT NULL,
	"next_offset" bigint NOT NULL
);
