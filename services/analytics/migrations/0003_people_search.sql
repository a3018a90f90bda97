-- brief: building both indexes takes about ten seconds for each million people
CREATE INDEX "people_by_name" ON "people" USING btree ("project_id",lower(left("traits"->>'name', 200)) text_pattern_ops) WHERE "traits"->>'name' is not null;--> statement-breakpoint
-- brief: the same
CREATE INDEX "people_by_email" ON "people" USING btree ("project_id",lower(left("traits"->>'email', 200)) text_pattern_ops) WHERE "traits"->>'email' is not null;
