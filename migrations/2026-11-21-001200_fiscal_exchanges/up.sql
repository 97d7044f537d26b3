-- What was said to a tax authority of a document and what came back, and the directory in which a worker
-- of any process finds the exchanges of all tenants that are due.

CREATE TABLE "fiscal_exchanges" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "authority" text COLLATE "C",
    "state" text COLLATE "C",
    "attempts" numeric,
    "next_attempt_at" timestamp with time zone,
    "lost_on" date,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "fiscal_exchanges_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "fiscal_exchanges_created_at_list"
    ON "fiscal_exchanges" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"fiscal_exchanges"');

CREATE TABLE "due_exchanges" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "entity_id" text COLLATE "C",
    "account_id" text COLLATE "C",
    "environment" text COLLATE "C",
    "authority" text COLLATE "C",
    "due_at" timestamp with time zone,
    "created_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "due_exchanges_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "due_exchanges_due_at_list"
    ON "due_exchanges" (tenant, "due_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "due_exchanges_created_at_list"
    ON "due_exchanges" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"due_exchanges"');
