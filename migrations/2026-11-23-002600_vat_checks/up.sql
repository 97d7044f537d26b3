-- What VIES answered of VAT numbers, for each entity that asked: it is believed for a day, and longer while VIES is
-- away.
CREATE TABLE "vat_checks" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "vat_checks_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "vat_checks_created_at_list"
    ON "vat_checks" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"vat_checks"');
