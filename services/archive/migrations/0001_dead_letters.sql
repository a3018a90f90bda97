CREATE TABLE "dead_letters" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "dead_letters_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"topic" text NOT NULL,
	"log_partition" integer NOT NULL,
	"log_offset" bigint NOT NULL,
	"dead_lettered_at" timestamp (3) with time zone NOT NULL,
	"reason" text NOT NULL,
	"project_id" text,
	"request_id" text,
	"bytes" integer NOT NULL,
	"replays" integer DEFAULT 0 NOT NULL,
	"replayed_at" timestamp (3) with time zone,
	CONSTRAINT "dead_letters_place" UNIQUE("topic","log_partition","log_offset")
);
--> statement-breakpoint
CREATE INDEX "dead_letters_by_topic" ON "dead_letters" USING btree ("topic","id");--> statement-breakpoint
CREATE INDEX "dead_letters_by_project" ON "dead_letters" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "dead_letters_waiting" ON "dead_letters" USING btree ("topic","id") WHERE replays = 0;--> statement-breakpoint
CREATE INDEX "dead_letters_by_age" ON "dead_letters" USING btree ("dead_lettered_at");