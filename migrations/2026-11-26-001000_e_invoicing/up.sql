-- Electronic invoices over the network: how entities stand with the provider, and documents on their way.
-- `document_key` is the document of a submission that did not fail for certain, of which each has one.
-- Suppliers take keys, by which the supplier of a received invoice is recognised, as customers have them.

CREATE TABLE "e_invoice_enrollments" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "state" text COLLATE "C",
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "e_invoice_enrollments_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "e_invoice_enrollments_created_at_list"
    ON "e_invoice_enrollments" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"e_invoice_enrollments"');

CREATE TABLE "e_invoice_submissions" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "document_id" text COLLATE "C",
    "document_key" text COLLATE "C",
    "status" text COLLATE "C",
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "e_invoice_submissions_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "e_invoice_submissions_document_id_idx"
    ON "e_invoice_submissions" ("document_id", tenant, id);
CREATE UNIQUE INDEX "e_invoice_submissions_document_key_key"
    ON "e_invoice_submissions" ("document_key", tenant);
CREATE INDEX "e_invoice_submissions_created_at_list"
    ON "e_invoice_submissions" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"e_invoice_submissions"');

ALTER TABLE "suppliers" ADD COLUMN "tax_key" text COLLATE "C";
ALTER TABLE "suppliers" ADD COLUMN "name_key" text COLLATE "C";
ALTER TABLE "suppliers" ALTER COLUMN "tax_key" TYPE text COLLATE "C" USING CASE
    WHEN "deleted_at" IS NULL THEN left(nullif(regexp_replace(
        upper(regexp_replace("tax_number", '[[:space:]./-]', '', 'g')),
        '^(AT(?=U)|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK|XI)(?=.*[0-9]{3})',
        ''
    ), ''), 80)
END;
ALTER TABLE "suppliers" ALTER COLUMN "name_key" TYPE text COLLATE "C" USING CASE
    WHEN "deleted_at" IS NULL THEN
        left(regexp_replace(lower(btrim("name" COLLATE "default")), '[[:space:]]+', ' ', 'g'), 80)
        || chr(31)
        || left(regexp_replace(lower(btrim(coalesce("address", '') COLLATE "default")),
            '[[:space:]]+', ' ', 'g'), 80)
        || chr(31)
        || left(regexp_replace(lower(btrim(coalesce("post_code", '') COLLATE "default")),
            '[[:space:]]+', ' ', 'g'), 80)
END;
CREATE INDEX "suppliers_tax_key_idx"
    ON "suppliers" ("tax_key", tenant, id);
CREATE INDEX "suppliers_name_key_idx"
    ON "suppliers" ("name_key", tenant, id);
