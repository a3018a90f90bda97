CREATE TABLE "throttles" (
	"project_id" text PRIMARY KEY NOT NULL,
	"events_per_second" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "throttles" ADD CONSTRAINT "throttles_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;