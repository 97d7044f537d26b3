-- What crate documents declares: one table for each kind of document, so that each is numbered, listed
-- and indexed alone, the versions that a document had, and the links between documents.

CREATE TABLE "invoices" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "number" text COLLATE "C",
    "is_draft" boolean,
    "date" date,
    "date_due" date,
    "date_valid_till" date,
    "date_year" numeric,
    "customer_id" text COLLATE "C",
    "business_unit_id" text COLLATE "C",
    "currency_code" text COLLATE "C",
    "total" numeric,
    "total_with_tax" numeric,
    "total_discount" numeric,
    "total_converted" numeric,
    "total_with_tax_converted" numeric,
    "total_paid" numeric,
    "total_due" numeric,
    "paid_in_full" boolean,
    "transaction_type" text COLLATE "C",
    "creation_source" text COLLATE "C",
    "calculation_mode" text COLLATE "C",
    "reference" text COLLATE "C",
    "shareable_id" text COLLATE "C",
    "metadata" jsonb,
    "accepted_at" timestamp with time zone,
    "rejected_at" timestamp with time zone,
    "voided_at" timestamp with time zone,
    "deleted_at" timestamp with time zone,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "invoices_pkey" PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX "invoices_number_key"
    ON "invoices" ("number", tenant);
CREATE INDEX "invoices_date_list"
    ON "invoices" (tenant, "date" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "invoices_customer_id_idx"
    ON "invoices" ("customer_id", tenant, id);
CREATE UNIQUE INDEX "invoices_shareable_id_key"
    ON "invoices" ("shareable_id");
CREATE INDEX "invoices_created_at_list"
    ON "invoices" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"invoices"');

CREATE TABLE "estimates" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "number" text COLLATE "C",
    "is_draft" boolean,
    "date" date,
    "date_due" date,
    "date_valid_till" date,
    "date_year" numeric,
    "customer_id" text COLLATE "C",
    "business_unit_id" text COLLATE "C",
    "currency_code" text COLLATE "C",
    "total" numeric,
    "total_with_tax" numeric,
    "total_discount" numeric,
    "total_converted" numeric,
    "total_with_tax_converted" numeric,
    "total_paid" numeric,
    "total_due" numeric,
    "paid_in_full" boolean,
    "transaction_type" text COLLATE "C",
    "creation_source" text COLLATE "C",
    "calculation_mode" text COLLATE "C",
    "reference" text COLLATE "C",
    "shareable_id" text COLLATE "C",
    "metadata" jsonb,
    "accepted_at" timestamp with time zone,
    "rejected_at" timestamp with time zone,
    "voided_at" timestamp with time zone,
    "deleted_at" timestamp with time zone,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "estimates_pkey" PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX "estimates_number_key"
    ON "estimates" ("number", tenant);
CREATE INDEX "estimates_date_list"
    ON "estimates" (tenant, "date" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "estimates_customer_id_idx"
    ON "estimates" ("customer_id", tenant, id);
CREATE UNIQUE INDEX "estimates_shareable_id_key"
    ON "estimates" ("shareable_id");
CREATE INDEX "estimates_created_at_list"
    ON "estimates" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"estimates"');

CREATE TABLE "credit_notes" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "number" text COLLATE "C",
    "is_draft" boolean,
    "date" date,
    "date_due" date,
    "date_valid_till" date,
    "date_year" numeric,
    "customer_id" text COLLATE "C",
    "business_unit_id" text COLLATE "C",
    "currency_code" text COLLATE "C",
    "total" numeric,
    "total_with_tax" numeric,
    "total_discount" numeric,
    "total_converted" numeric,
    "total_with_tax_converted" numeric,
    "total_paid" numeric,
    "total_due" numeric,
    "paid_in_full" boolean,
    "transaction_type" text COLLATE "C",
    "creation_source" text COLLATE "C",
    "calculation_mode" text COLLATE "C",
    "reference" text COLLATE "C",
    "shareable_id" text COLLATE "C",
    "metadata" jsonb,
    "accepted_at" timestamp with time zone,
    "rejected_at" timestamp with time zone,
    "voided_at" timestamp with time zone,
    "deleted_at" timestamp with time zone,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "credit_notes_pkey" PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX "credit_notes_number_key"
    ON "credit_notes" ("number", tenant);
CREATE INDEX "credit_notes_date_list"
    ON "credit_notes" (tenant, "date" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "credit_notes_customer_id_idx"
    ON "credit_notes" ("customer_id", tenant, id);
CREATE UNIQUE INDEX "credit_notes_shareable_id_key"
    ON "credit_notes" ("shareable_id");
CREATE INDEX "credit_notes_created_at_list"
    ON "credit_notes" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"credit_notes"');

CREATE TABLE "advance_invoices" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "number" text COLLATE "C",
    "is_draft" boolean,
    "date" date,
    "date_due" date,
    "date_valid_till" date,
    "date_year" numeric,
    "customer_id" text COLLATE "C",
    "business_unit_id" text COLLATE "C",
    "currency_code" text COLLATE "C",
    "total" numeric,
    "total_with_tax" numeric,
    "total_discount" numeric,
    "total_converted" numeric,
    "total_with_tax_converted" numeric,
    "total_paid" numeric,
    "total_due" numeric,
    "paid_in_full" boolean,
    "transaction_type" text COLLATE "C",
    "creation_source" text COLLATE "C",
    "calculation_mode" text COLLATE "C",
    "reference" text COLLATE "C",
    "shareable_id" text COLLATE "C",
    "metadata" jsonb,
    "accepted_at" timestamp with time zone,
    "rejected_at" timestamp with time zone,
    "voided_at" timestamp with time zone,
    "deleted_at" timestamp with time zone,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "advance_invoices_pkey" PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX "advance_invoices_number_key"
    ON "advance_invoices" ("number", tenant);
CREATE INDEX "advance_invoices_date_list"
    ON "advance_invoices" (tenant, "date" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "advance_invoices_customer_id_idx"
    ON "advance_invoices" ("customer_id", tenant, id);
CREATE UNIQUE INDEX "advance_invoices_shareable_id_key"
    ON "advance_invoices" ("shareable_id");
CREATE INDEX "advance_invoices_created_at_list"
    ON "advance_invoices" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"advance_invoices"');

CREATE TABLE "delivery_notes" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "number" text COLLATE "C",
    "is_draft" boolean,
    "date" date,
    "date_due" date,
    "date_valid_till" date,
    "date_year" numeric,
    "customer_id" text COLLATE "C",
    "business_unit_id" text COLLATE "C",
    "currency_code" text COLLATE "C",
    "total" numeric,
    "total_with_tax" numeric,
    "total_discount" numeric,
    "total_converted" numeric,
    "total_with_tax_converted" numeric,
    "total_paid" numeric,
    "total_due" numeric,
    "paid_in_full" boolean,
    "transaction_type" text COLLATE "C",
    "creation_source" text COLLATE "C",
    "calculation_mode" text COLLATE "C",
    "reference" text COLLATE "C",
    "shareable_id" text COLLATE "C",
    "metadata" jsonb,
    "accepted_at" timestamp with time zone,
    "rejected_at" timestamp with time zone,
    "voided_at" timestamp with time zone,
    "deleted_at" timestamp with time zone,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "delivery_notes_pkey" PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX "delivery_notes_number_key"
    ON "delivery_notes" ("number", tenant);
CREATE INDEX "delivery_notes_date_list"
    ON "delivery_notes" (tenant, "date" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "delivery_notes_customer_id_idx"
    ON "delivery_notes" ("customer_id", tenant, id);
CREATE UNIQUE INDEX "delivery_notes_shareable_id_key"
    ON "delivery_notes" ("shareable_id");
CREATE INDEX "delivery_notes_created_at_list"
    ON "delivery_notes" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"delivery_notes"');

CREATE TABLE "document_versions" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "document_id" text COLLATE "C",
    "version" numeric,
    "created_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "document_versions_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "document_versions_document_id_idx"
    ON "document_versions" ("document_id", tenant, id);
CREATE INDEX "document_versions_created_at_list"
    ON "document_versions" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"document_versions"');

CREATE TABLE "document_relations" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "source_id" text COLLATE "C",
    "target_id" text COLLATE "C",
    "relation_type" text COLLATE "C",
    "created_at" timestamp with time zone NOT NULL,
    "pair" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "document_relations_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "document_relations_source_id_idx"
    ON "document_relations" ("source_id", tenant, id);
CREATE INDEX "document_relations_target_id_idx"
    ON "document_relations" ("target_id", tenant, id);
CREATE INDEX "document_relations_created_at_list"
    ON "document_relations" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE UNIQUE INDEX "document_relations_pair_key"
    ON "document_relations" ("pair", tenant);
SELECT racun_fence('"document_relations"');
