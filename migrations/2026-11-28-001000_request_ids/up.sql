-- Nothing is found by the id of a request, which comes at random: its index would write a page of its own for each
-- entry.
DROP INDEX "request_logs_request_id_idx";
