-- Which invoices were told to be overdue, so that none is told of twice.

CREATE TABLE "overdue_notices" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "overdue_notices_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "overdue_notices_created_at_list"
    ON "overdue_notices" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"overdue_notices"');
