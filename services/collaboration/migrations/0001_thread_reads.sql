CREATE TABLE "thread_reads" (
	"project_id" text NOT NULL,
	"report_id" text NOT NULL,
	"sub" text NOT NULL,
	"read_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "thread_reads_project_id_report_id_sub_pk" PRIMARY KEY("project_id","report_id","sub")
);
--> statement-breakpoint
CREATE INDEX "thread_reads_by_sub" ON "thread_reads" USING btree ("sub");--> statement-breakpoint
-- brief: building both indexes takes about ten seconds for each million comments
CREATE INDEX "comments_by_author" ON "comments" USING btree ("author_sub","created_at");--> statement-breakpoint
-- brief: the same
CREATE INDEX "comments_by_mention" ON "comments" USING gin ("mentions");