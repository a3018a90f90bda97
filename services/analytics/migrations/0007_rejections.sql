CREATE TABLE "rejections" (
	"project_id" text NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"operation" text NOT NULL,
	"status" integer NOT NULL,
	"reason" text NOT NULL,
	"requests" bigint NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "rejections_project_id_hour_operation_status_reason_pk" PRIMARY KEY("project_id","hour","operation","status","reason")
);
--> statement-breakpoint
CREATE INDEX "rejections_by_hour" ON "rejections" USING btree ("hour");