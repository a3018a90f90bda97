CREATE TABLE "erasure_parts" (
	"erasure_id" text NOT NULL,
	"region" text NOT NULL,
	"service" text NOT NULL,
	"done_at" timestamp (3) with time zone,
	CONSTRAINT "erasure_parts_erasure_id_region_service_pk" PRIMARY KEY("erasure_id","region","service")
);
--> statement-breakpoint
CREATE TABLE "erasures" (
	"id" text PRIMARY KEY NOT NULL,
	"subject" text,
	"kind" text NOT NULL,
	"project_id" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "erasure_parts" ADD CONSTRAINT "erasure_parts_erasure_id_erasures_id_fk" FOREIGN KEY ("erasure_id") REFERENCES "public"."erasures"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "erasure_parts_open" ON "erasure_parts" USING btree ("erasure_id") WHERE "erasure_parts"."done_at" is null;