-- Which account signed up first where the others need an invitation: one row, so that of several that sign up
-- at once one does.
CREATE TABLE "first_accounts" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "first_accounts_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "first_accounts_created_at_list"
    ON "first_accounts" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"first_accounts"');
