-- The log of requests, and where the round stands that removes what is kept for a time only.
CREATE TABLE "request_logs" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "request_id" text COLLATE "C",
    "method" text COLLATE "C",
    "path" text COLLATE "C",
    "res_status" numeric,
    "resource_type" text COLLATE "C",
    "resource_id" text COLLATE "C",
    "action" text COLLATE "C",
    "client_name" text COLLATE "C",
    "created_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "request_logs_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "request_logs_request_id_idx"
    ON "request_logs" ("request_id", tenant, id);
CREATE INDEX "request_logs_created_at_list"
    ON "request_logs" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"request_logs"');

CREATE TABLE "retention_rounds" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "due_at" timestamp with time zone,
    "created_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "retention_rounds_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "retention_rounds_created_at_list"
    ON "retention_rounds" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"retention_rounds"');
