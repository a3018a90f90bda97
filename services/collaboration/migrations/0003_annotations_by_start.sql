-- brief: writes of annotations wait until it is built, a second for half a million
CREATE INDEX IF NOT EXISTS "annotations_by_start" ON "annotations" USING btree ("project_id","scope","starts_on","created_at","id");
