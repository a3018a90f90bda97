-- brief: one row per message that was sent; a hundred thousand take well under a second.
CREATE INDEX "messages_by_time" ON "messages" USING btree ("project_id","created_at","id");