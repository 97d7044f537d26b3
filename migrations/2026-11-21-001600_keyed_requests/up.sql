-- Requests that were carried out, by the keys that their callers gave them: written in the commit of the
-- effect, so that a request that is sent again has none. Rows are found by their primary key, and removed
-- by the order of their time after 30 days. Nobody counts or searches them.

CREATE TABLE "keyed_requests" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "keyed_requests_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "keyed_requests_created_at_list"
    ON "keyed_requests" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"keyed_requests"');
