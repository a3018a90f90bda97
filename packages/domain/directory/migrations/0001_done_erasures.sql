CREATE TABLE "directory"."done_erasures" (
	"id" text PRIMARY KEY NOT NULL
);
