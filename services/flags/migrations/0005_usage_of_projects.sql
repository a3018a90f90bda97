CREATE TABLE "usage_days" (
	"project_id" text NOT NULL,
	"day" date NOT NULL,
	"counts" jsonb NOT NULL,
	CONSTRAINT "usage_days_project_id_day_pk" PRIMARY KEY("project_id","day")
);
--> statement-breakpoint
CREATE TABLE "usage_hours" (
	"project_id" text NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"counts" jsonb NOT NULL,
	CONSTRAINT "usage_hours_project_id_hour_pk" PRIMARY KEY("project_id","hour")
);
--> statement-breakpoint
CREATE TABLE "usage_seen" (
	"project_id" text PRIMARY KEY NOT NULL,
	"seen" jsonb NOT NULL
);
--> statement-breakpoint
CREATE INDEX "usage_days_by_day" ON "usage_days" USING btree ("day");--> statement-breakpoint
CREATE INDEX "usage_hours_by_hour" ON "usage_hours" USING btree ("hour");