-- The test clocks of accounts: in the directory, for workers of any process look for those that are
-- ahead of real time.

CREATE TABLE "test_clocks" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "now" timestamp with time zone,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "test_clocks_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "test_clocks_now_list"
    ON "test_clocks" (tenant, "now" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "test_clocks_created_at_list"
    ON "test_clocks" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"test_clocks"');
