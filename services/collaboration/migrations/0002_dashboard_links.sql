CREATE TABLE "dashboard_links" (
	"project_id" text NOT NULL,
	"dashboard_id" text NOT NULL,
	"token_hash" text NOT NULL,
	"sealed_token" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_on" date NOT NULL,
	CONSTRAINT "dashboard_links_project_id_dashboard_id_pk" PRIMARY KEY("project_id","dashboard_id")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "dashboard_links_by_token" ON "dashboard_links" USING btree ("token_hash");