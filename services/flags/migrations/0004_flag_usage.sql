CREATE TABLE "flag_seen" (
	"project_id" text NOT NULL,
	"key" text NOT NULL,
	"variation" text NOT NULL,
	"first_at" timestamp (3) with time zone NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "flag_seen_project_id_key_variation_pk" PRIMARY KEY("project_id","key","variation")
);
--> statement-breakpoint
CREATE TABLE "flag_usage_days" (
	"project_id" text NOT NULL,
	"key" text NOT NULL,
	"variation" text NOT NULL,
	"day" date NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "flag_usage_days_project_id_key_day_variation_pk" PRIMARY KEY("project_id","key","day","variation")
);
--> statement-breakpoint
CREATE TABLE "flag_usage_hours" (
	"project_id" text NOT NULL,
	"key" text NOT NULL,
	"variation" text NOT NULL,
	"day" date NOT NULL,
	"counts" bigint[] NOT NULL,
	CONSTRAINT "flag_usage_hours_project_id_key_day_variation_pk" PRIMARY KEY("project_id","key","day","variation")
);
--> statement-breakpoint
ALTER TABLE "flag_seen" ADD CONSTRAINT "flag_seen_project_id_key_flags_project_id_key_fk" FOREIGN KEY ("project_id","key") REFERENCES "public"."flags"("project_id","key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "flag_usage_days" ADD CONSTRAINT "flag_usage_days_project_id_key_flags_project_id_key_fk" FOREIGN KEY ("project_id","key") REFERENCES "public"."flags"("project_id","key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "flag_usage_hours" ADD CONSTRAINT "flag_usage_hours_project_id_key_flags_project_id_key_fk" FOREIGN KEY ("project_id","key") REFERENCES "public"."flags"("project_id","key") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "flag_usage_days_by_day" ON "flag_usage_days" USING btree ("day","project_id");--> statement-breakpoint
CREATE INDEX "flag_usage_hours_by_day" ON "flag_usage_hours" USING btree ("day");