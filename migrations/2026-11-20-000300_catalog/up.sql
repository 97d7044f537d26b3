-- What crate catalog declares: the master data that documents refer to.

CREATE TABLE "customers" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "name" text COLLATE "C",
    "address" text COLLATE "C",
    "address_2" text COLLATE "C",
    "post_code" text COLLATE "C",
    "city" text COLLATE "C",
    "state" text COLLATE "C",
    "country" text COLLATE "C",
    "country_code" text COLLATE "C",
    "tax_number" text COLLATE "C",
    "company_number" text COLLATE "C",
    "peppol_id" text COLLATE "C",
    "peppol_scheme_id" text COLLATE "C",
    "email" text COLLATE "C",
    "contact_type" text COLLATE "C",
    "is_tax_subject" boolean,
    "is_end_consumer" boolean,
    "metadata" jsonb,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    "deleted_at" timestamp with time zone,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "customers_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "customers_created_at_list"
    ON "customers" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"customers"');

CREATE TABLE "suppliers" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "name" text COLLATE "C",
    "address" text COLLATE "C",
    "address_2" text COLLATE "C",
    "post_code" text COLLATE "C",
    "city" text COLLATE "C",
    "state" text COLLATE "C",
    "country" text COLLATE "C",
    "country_code" text COLLATE "C",
    "tax_number" text COLLATE "C",
    "company_number" text COLLATE "C",
    "peppol_id" text COLLATE "C",
    "email" text COLLATE "C",
    "phone" text COLLATE "C",
    "is_tax_subject" boolean,
    "metadata" jsonb,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    "deleted_at" timestamp with time zone,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "suppliers_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "suppliers_created_at_list"
    ON "suppliers" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"suppliers"');

CREATE TABLE "items" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "name" text COLLATE "C",
    "description" text COLLATE "C",
    "classification" text COLLATE "C",
    "price" numeric,
    "gross_price" numeric,
    "unit" text COLLATE "C",
    "tax_ids" text[],
    "financial_category_id" text COLLATE "C",
    "metadata" jsonb,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    "deleted_at" timestamp with time zone,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "items_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "items_created_at_list"
    ON "items" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"items"');

CREATE TABLE "taxes" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "name" text COLLATE "C",
    "classification" text COLLATE "C",
    "is_default" boolean,
    "pt_exemption_code" text COLLATE "C",
    "pt_exemption_reason" text COLLATE "C",
    "metadata" jsonb,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    "deleted_at" timestamp with time zone,
    "live_classification" text COLLATE "C",
    "default_slot" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "taxes_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "taxes_created_at_list"
    ON "taxes" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE UNIQUE INDEX "taxes_live_classification_key"
    ON "taxes" ("live_classification", tenant);
CREATE UNIQUE INDEX "taxes_default_slot_key"
    ON "taxes" ("default_slot", tenant);
SELECT racun_fence('"taxes"');

CREATE TABLE "financial_categories" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "name" text COLLATE "C",
    "color" text COLLATE "C",
    "sort_order" numeric,
    "archived_at" timestamp with time zone,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "financial_categories_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "financial_categories_created_at_list"
    ON "financial_categories" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"financial_categories"');

CREATE TABLE "business_units" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "name" text COLLATE "C",
    "address" text COLLATE "C",
    "address_2" text COLLATE "C",
    "post_code" text COLLATE "C",
    "city" text COLLATE "C",
    "state" text COLLATE "C",
    "country" text COLLATE "C",
    "country_code" text COLLATE "C",
    "email" text COLLATE "C",
    "phone" text COLLATE "C",
    "website" text COLLATE "C",
    "logo_file_id" text COLLATE "C",
    "signature_file_id" text COLLATE "C",
    "numbering_index" numeric,
    "is_active" boolean,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    "deleted_at" timestamp with time zone,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "business_units_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "business_units_created_at_list"
    ON "business_units" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"business_units"');
