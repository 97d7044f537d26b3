-- What is to be done after a commit, and how far each reader of the log has come.

CREATE TABLE "jobs" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "kind" text COLLATE "C" NOT NULL CHECK ("kind" <> ''),
    "entity_id" text COLLATE "C",
    "subject" text COLLATE "C" NOT NULL,
    "state" text COLLATE "C" NOT NULL CHECK ("state" IN ('waiting', 'running', 'dead')),
    "attempts" numeric NOT NULL CHECK ("attempts" >= 0),
    "due_at" timestamp with time zone,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "jobs_pkey" PRIMARY KEY (tenant, id),
    CONSTRAINT "jobs_are_due_or_dead" CHECK (("due_at" IS NULL) = ("state" = 'dead'))
);
CREATE INDEX "jobs_entity_id_idx"
    ON "jobs" ("entity_id", tenant, id);
CREATE INDEX "jobs_subject_idx"
    ON "jobs" ("subject", tenant, id);
CREATE INDEX "jobs_due_at_list"
    ON "jobs" (tenant, "due_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "jobs_created_at_list"
    ON "jobs" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"jobs"');

CREATE TABLE "log_readers" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "log_readers_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "log_readers_created_at_list"
    ON "log_readers" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"log_readers"');
