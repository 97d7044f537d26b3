-- Exports that a worker puts together: what is to be in them, and which parts of them are stored.
CREATE TABLE "export_jobs" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "entity_id" text COLLATE "C",
    "active" text COLLATE "C",
    "link" text COLLATE "C",
    "created_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "export_jobs_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "export_jobs_active_idx"
    ON "export_jobs" ("active", tenant, id);
CREATE UNIQUE INDEX "export_jobs_link_key"
    ON "export_jobs" ("link");
CREATE INDEX "export_jobs_created_at_list"
    ON "export_jobs" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"export_jobs"');
