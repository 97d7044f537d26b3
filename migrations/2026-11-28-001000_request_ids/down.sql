CREATE INDEX "request_logs_request_id_idx"
    ON "request_logs" ("request_id", tenant, id);
