CREATE TABLE "flag_hooks" (
	"id" text PRIMARY KEY NOT NULL,
	"project_id" text NOT NULL,
	"key" text NOT NULL,
	"name" text NOT NULL,
	"secret_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "flag_hooks" ADD CONSTRAINT "flag_hooks_project_id_key_flags_project_id_key_fk" FOREIGN KEY ("project_id","key") REFERENCES "public"."flags"("project_id","key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "flag_hooks_by_flag" ON "flag_hooks" USING btree ("project_id","key","id");