CREATE TABLE "wire_usage" (
	"project_id" text NOT NULL,
	"day" date NOT NULL,
	"wire" text NOT NULL,
	"sdk" text NOT NULL,
	"version" text NOT NULL,
	"requests" bigint[] NOT NULL,
	"events" bigint[] NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "wire_usage_project_id_day_wire_sdk_version_pk" PRIMARY KEY("project_id","day","wire","sdk","version")
);
--> statement-breakpoint
CREATE INDEX "wire_usage_by_day" ON "wire_usage" USING btree ("day");