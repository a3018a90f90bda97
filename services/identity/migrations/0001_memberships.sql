CREATE TABLE "unpublished_memberships" (
	"company_id" text NOT NULL,
	"sub" text NOT NULL,
	"content" text,
	"revision" bigint NOT NULL,
	CONSTRAINT "unpublished_memberships_company_id_sub_pk" PRIMARY KEY("company_id","sub")
);
--> statement-breakpoint
CREATE INDEX "unpublished_memberships_by_revision" ON "unpublished_memberships" USING btree ("revision");