-- Public data: reference rates of the European Central Bank by day, companies of imported registers, and estimated
-- rates of sales tax. They are the same to every entity, so they are in the directory.
CREATE TABLE "rate_days" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "date" date,
    "created_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "rate_days_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "rate_days_date_list"
    ON "rate_days" (tenant, "date" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "rate_days_created_at_list"
    ON "rate_days" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"rate_days"');

CREATE TABLE "companies" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "country_code" text COLLATE "C",
    "name" text COLLATE "C",
    "words" text COLLATE "C",
    "imported_at" timestamp with time zone,
    "created_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "companies_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "companies_country_code_idx"
    ON "companies" ("country_code", tenant, id);
CREATE INDEX "companies_created_at_list"
    ON "companies" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"companies"');

CREATE TABLE "tax_rate_estimates" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "zip_code" text COLLATE "C",
    "state" text COLLATE "C",
    "tax_region_name" text COLLATE "C",
    "imported_at" timestamp with time zone,
    "created_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "tax_rate_estimates_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "tax_rate_estimates_zip_code_idx"
    ON "tax_rate_estimates" ("zip_code", tenant, id);
CREATE INDEX "tax_rate_estimates_created_at_list"
    ON "tax_rate_estimates" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"tax_rate_estimates"');
