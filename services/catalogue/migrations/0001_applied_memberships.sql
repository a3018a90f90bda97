CREATE TABLE "applied_memberships" (
	"member_hash" text PRIMARY KEY NOT NULL,
	"revision" bigint NOT NULL
);
