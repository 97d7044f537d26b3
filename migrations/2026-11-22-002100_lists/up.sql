-- Lists of many documents: columns for what lists look at inside of bodies, and indexes of the orders of
-- fields, so that pages and counts are found without the rows. Row-level security lets a condition lead
-- through an index only if its operator is leakproof, which those of jsonb are not; hence the columns,
-- which the database fills from the bodies, also for servers of the version before.
--
-- And text is compared without accents: what `search` looks through is folded again. A server of the version
-- before that goes on writing during the update leaves accents in what it writes until that is written again.
-- The ids of lines are no longer among it: a line's id lies beside that of its document.

-- The same as `racun_kernel::text::fold`: text without the difference between capitals and small letters,
-- and without accents.
CREATE FUNCTION racun_bare(text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN octet_length($1) = length($1) THEN lower($1 COLLATE "C") ELSE
        replace(replace(replace(replace(translate(
            regexp_replace(normalize(lower($1 COLLATE "und-x-icu"), NFD) COLLATE "C",
                U&'[\0300-\036F]', '', 'g'),
            'ςđðħıłøŧ', 'σddhilot'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')
        END COLLATE "C";

ALTER TABLE "invoices"
    ADD COLUMN "note" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'texts', 'note']::text[]) STORED,
    ADD COLUMN "customer_name" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'name']::text[]) STORED,
    ADD COLUMN "customer_email" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'email']::text[]) STORED,
    ADD COLUMN "customer_tax_number" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'tax_number']::text[]) STORED,
    ADD COLUMN "customer_company_number" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'company_number']::text[]) STORED,
    ADD COLUMN "customer_city" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'city']::text[]) STORED,
    ADD COLUMN "customer_country_code" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'country_code']::text[]) STORED,
    ADD COLUMN "business_unit_name" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'business_unit', 'name']::text[]) STORED,
    ADD COLUMN "issuer_name" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'issuer', 'name']::text[]) STORED,
    ALTER COLUMN search TYPE text
        USING racun_bare(regexp_replace(search, '(^|\x1f)inv_item_[0-9a-z]{26}', '', 'g'));
ALTER TABLE "invoices" SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_analyze_scale_factor = 0.05);
-- Found by the index of its order, too.
DROP INDEX "invoices_number_idx", "invoices_date_list", "invoices_customer_id_idx";
CREATE INDEX "invoices_number_order"
    ON "invoices" (tenant, "number" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_is_draft_order"
    ON "invoices" (tenant, "is_draft" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_date_order"
    ON "invoices" (tenant, "date" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_date_due_order"
    ON "invoices" (tenant, "date_due" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_date_valid_till_order"
    ON "invoices" (tenant, "date_valid_till" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "date_valid_till" IS NOT NULL;
CREATE INDEX "invoices_date_year_order"
    ON "invoices" (tenant, "date_year" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_customer_id_order"
    ON "invoices" (tenant, "customer_id" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_business_unit_id_order"
    ON "invoices" (tenant, "business_unit_id" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_currency_code_order"
    ON "invoices" (tenant, "currency_code" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_total_order"
    ON "invoices" (tenant, "total" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_total_with_tax_order"
    ON "invoices" (tenant, "total_with_tax" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_total_discount_order"
    ON "invoices" (tenant, "total_discount" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_total_converted_order"
    ON "invoices" (tenant, "total_converted" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "total_converted" IS NOT NULL;
CREATE INDEX "invoices_total_with_tax_converted_order"
    ON "invoices" (tenant, "total_with_tax_converted" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "total_with_tax_converted" IS NOT NULL;
CREATE INDEX "invoices_total_paid_order"
    ON "invoices" (tenant, "total_paid" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_total_due_order"
    ON "invoices" (tenant, "total_due" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_paid_in_full_order"
    ON "invoices" (tenant, "paid_in_full" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_transaction_type_order"
    ON "invoices" (tenant, "transaction_type" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_creation_source_order"
    ON "invoices" (tenant, "creation_source" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_calculation_mode_order"
    ON "invoices" (tenant, "calculation_mode" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_reference_order"
    ON "invoices" (tenant, "reference" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "reference" IS NOT NULL;
CREATE INDEX "invoices_shareable_id_order"
    ON "invoices" (tenant, "shareable_id" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "shareable_id" IS NOT NULL;
CREATE INDEX "invoices_accepted_at_order"
    ON "invoices" (tenant, "accepted_at" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "accepted_at" IS NOT NULL;
CREATE INDEX "invoices_rejected_at_order"
    ON "invoices" (tenant, "rejected_at" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "rejected_at" IS NOT NULL;
CREATE INDEX "invoices_voided_at_order"
    ON "invoices" (tenant, "voided_at" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "voided_at" IS NOT NULL;
CREATE INDEX "invoices_updated_at_order"
    ON "invoices" (tenant, "updated_at" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_note_order"
    ON "invoices" (tenant, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "note" IS NOT NULL;
CREATE INDEX "invoices_customer_name_order"
    ON "invoices" (tenant, "customer_name" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_customer_email_order"
    ON "invoices" (tenant, "customer_email" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_customer_tax_number_order"
    ON "invoices" (tenant, "customer_tax_number" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_customer_company_number_order"
    ON "invoices" (tenant, "customer_company_number" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "customer_company_number" IS NOT NULL;
CREATE INDEX "invoices_customer_city_order"
    ON "invoices" (tenant, "customer_city" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_customer_country_code_order"
    ON "invoices" (tenant, "customer_country_code" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_business_unit_name_order"
    ON "invoices" (tenant, "business_unit_name" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_issuer_name_order"
    ON "invoices" (tenant, "issuer_name" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "invoices_paid_in_full_state"
    ON "invoices" (tenant, "paid_in_full" NULLS FIRST, created_at NULLS FIRST, id NULLS FIRST) INCLUDE ("is_draft", "date_due", "total_paid", "voided_at")
    WHERE deleted_at IS NULL;

ALTER TABLE "estimates"
    ADD COLUMN "note" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'texts', 'note']::text[]) STORED,
    ADD COLUMN "customer_name" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'name']::text[]) STORED,
    ADD COLUMN "customer_email" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'email']::text[]) STORED,
    ADD COLUMN "customer_tax_number" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'tax_number']::text[]) STORED,
    ADD COLUMN "customer_company_number" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'company_number']::text[]) STORED,
    ADD COLUMN "customer_city" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'city']::text[]) STORED,
    ADD COLUMN "customer_country_code" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'country_code']::text[]) STORED,
    ADD COLUMN "business_unit_name" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'business_unit', 'name']::text[]) STORED,
    ADD COLUMN "issuer_name" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'issuer', 'name']::text[]) STORED,
    ALTER COLUMN search TYPE text
        USING racun_bare(regexp_replace(search, '(^|\x1f)est_item_[0-9a-z]{26}', '', 'g'));
ALTER TABLE "estimates" SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_analyze_scale_factor = 0.05);
-- Found by the index of its order, too.
DROP INDEX "estimates_number_idx", "estimates_date_list", "estimates_customer_id_idx";
CREATE INDEX "estimates_number_order"
    ON "estimates" (tenant, "number" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_is_draft_order"
    ON "estimates" (tenant, "is_draft" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_date_order"
    ON "estimates" (tenant, "date" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_date_due_order"
    ON "estimates" (tenant, "date_due" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_date_valid_till_order"
    ON "estimates" (tenant, "date_valid_till" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "date_valid_till" IS NOT NULL;
CREATE INDEX "estimates_date_year_order"
    ON "estimates" (tenant, "date_year" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_customer_id_order"
    ON "estimates" (tenant, "customer_id" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_business_unit_id_order"
    ON "estimates" (tenant, "business_unit_id" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_currency_code_order"
    ON "estimates" (tenant, "currency_code" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_total_order"
    ON "estimates" (tenant, "total" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_total_with_tax_order"
    ON "estimates" (tenant, "total_with_tax" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_total_discount_order"
    ON "estimates" (tenant, "total_discount" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_total_converted_order"
    ON "estimates" (tenant, "total_converted" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "total_converted" IS NOT NULL;
CREATE INDEX "estimates_total_with_tax_converted_order"
    ON "estimates" (tenant, "total_with_tax_converted" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "total_with_tax_converted" IS NOT NULL;
CREATE INDEX "estimates_total_paid_order"
    ON "estimates" (tenant, "total_paid" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_total_due_order"
    ON "estimates" (tenant, "total_due" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_paid_in_full_order"
    ON "estimates" (tenant, "paid_in_full" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_transaction_type_order"
    ON "estimates" (tenant, "transaction_type" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_creation_source_order"
    ON "estimates" (tenant, "creation_source" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_calculation_mode_order"
    ON "estimates" (tenant, "calculation_mode" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_reference_order"
    ON "estimates" (tenant, "reference" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "reference" IS NOT NULL;
CREATE INDEX "estimates_shareable_id_order"
    ON "estimates" (tenant, "shareable_id" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "shareable_id" IS NOT NULL;
CREATE INDEX "estimates_accepted_at_order"
    ON "estimates" (tenant, "accepted_at" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "accepted_at" IS NOT NULL;
CREATE INDEX "estimates_rejected_at_order"
    ON "estimates" (tenant, "rejected_at" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "rejected_at" IS NOT NULL;
CREATE INDEX "estimates_voided_at_order"
    ON "estimates" (tenant, "voided_at" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "voided_at" IS NOT NULL;
CREATE INDEX "estimates_updated_at_order"
    ON "estimates" (tenant, "updated_at" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_note_order"
    ON "estimates" (tenant, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "note" IS NOT NULL;
CREATE INDEX "estimates_customer_name_order"
    ON "estimates" (tenant, "customer_name" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_customer_email_order"
    ON "estimates" (tenant, "customer_email" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_customer_tax_number_order"
    ON "estimates" (tenant, "customer_tax_number" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_customer_company_number_order"
    ON "estimates" (tenant, "customer_company_number" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "customer_company_number" IS NOT NULL;
CREATE INDEX "estimates_customer_city_order"
    ON "estimates" (tenant, "customer_city" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_customer_country_code_order"
    ON "estimates" (tenant, "customer_country_code" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_business_unit_name_order"
    ON "estimates" (tenant, "business_unit_name" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_issuer_name_order"
    ON "estimates" (tenant, "issuer_name" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "estimates_paid_in_full_state"
    ON "estimates" (tenant, "paid_in_full" NULLS FIRST, created_at NULLS FIRST, id NULLS FIRST) INCLUDE ("is_draft", "date_due", "total_paid", "voided_at")
    WHERE deleted_at IS NULL;

ALTER TABLE "credit_notes"
    ADD COLUMN "note" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'texts', 'note']::text[]) STORED,
    ADD COLUMN "customer_name" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'name']::text[]) STORED,
    ADD COLUMN "customer_email" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'email']::text[]) STORED,
    ADD COLUMN "customer_tax_number" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'tax_number']::text[]) STORED,
    ADD COLUMN "customer_company_number" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'company_number']::text[]) STORED,
    ADD COLUMN "customer_city" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'city']::text[]) STORED,
    ADD COLUMN "customer_country_code" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'country_code']::text[]) STORED,
    ADD COLUMN "business_unit_name" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'business_unit', 'name']::text[]) STORED,
    ADD COLUMN "issuer_name" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'issuer', 'name']::text[]) STORED,
    ALTER COLUMN search TYPE text
        USING racun_bare(regexp_replace(search, '(^|\x1f)cre_item_[0-9a-z]{26}', '', 'g'));
ALTER TABLE "credit_notes" SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_analyze_scale_factor = 0.05);
-- Found by the index of its order, too.
DROP INDEX "credit_notes_number_idx", "credit_notes_date_list", "credit_notes_customer_id_idx";
CREATE INDEX "credit_notes_number_order"
    ON "credit_notes" (tenant, "number" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_is_draft_order"
    ON "credit_notes" (tenant, "is_draft" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_date_order"
    ON "credit_notes" (tenant, "date" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_date_due_order"
    ON "credit_notes" (tenant, "date_due" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_date_valid_till_order"
    ON "credit_notes" (tenant, "date_valid_till" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "date_valid_till" IS NOT NULL;
CREATE INDEX "credit_notes_date_year_order"
    ON "credit_notes" (tenant, "date_year" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_customer_id_order"
    ON "credit_notes" (tenant, "customer_id" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_business_unit_id_order"
    ON "credit_notes" (tenant, "business_unit_id" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_currency_code_order"
    ON "credit_notes" (tenant, "currency_code" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_total_order"
    ON "credit_notes" (tenant, "total" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_total_with_tax_order"
    ON "credit_notes" (tenant, "total_with_tax" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_total_discount_order"
    ON "credit_notes" (tenant, "total_discount" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_total_converted_order"
    ON "credit_notes" (tenant, "total_converted" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "total_converted" IS NOT NULL;
CREATE INDEX "credit_notes_total_with_tax_converted_order"
    ON "credit_notes" (tenant, "total_with_tax_converted" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "total_with_tax_converted" IS NOT NULL;
CREATE INDEX "credit_notes_total_paid_order"
    ON "credit_notes" (tenant, "total_paid" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_total_due_order"
    ON "credit_notes" (tenant, "total_due" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_paid_in_full_order"
    ON "credit_notes" (tenant, "paid_in_full" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_transaction_type_order"
    ON "credit_notes" (tenant, "transaction_type" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_creation_source_order"
    ON "credit_notes" (tenant, "creation_source" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_calculation_mode_order"
    ON "credit_notes" (tenant, "calculation_mode" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_reference_order"
    ON "credit_notes" (tenant, "reference" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "reference" IS NOT NULL;
CREATE INDEX "credit_notes_shareable_id_order"
    ON "credit_notes" (tenant, "shareable_id" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "shareable_id" IS NOT NULL;
CREATE INDEX "credit_notes_accepted_at_order"
    ON "credit_notes" (tenant, "accepted_at" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "accepted_at" IS NOT NULL;
CREATE INDEX "credit_notes_rejected_at_order"
    ON "credit_notes" (tenant, "rejected_at" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "rejected_at" IS NOT NULL;
CREATE INDEX "credit_notes_voided_at_order"
    ON "credit_notes" (tenant, "voided_at" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "voided_at" IS NOT NULL;
CREATE INDEX "credit_notes_updated_at_order"
    ON "credit_notes" (tenant, "updated_at" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_note_order"
    ON "credit_notes" (tenant, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "note" IS NOT NULL;
CREATE INDEX "credit_notes_customer_name_order"
    ON "credit_notes" (tenant, "customer_name" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_customer_email_order"
    ON "credit_notes" (tenant, "customer_email" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_customer_tax_number_order"
    ON "credit_notes" (tenant, "customer_tax_number" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_customer_company_number_order"
    ON "credit_notes" (tenant, "customer_company_number" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "customer_company_number" IS NOT NULL;
CREATE INDEX "credit_notes_customer_city_order"
    ON "credit_notes" (tenant, "customer_city" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_customer_country_code_order"
    ON "credit_notes" (tenant, "customer_country_code" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_business_unit_name_order"
    ON "credit_notes" (tenant, "business_unit_name" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_issuer_name_order"
    ON "credit_notes" (tenant, "issuer_name" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "credit_notes_paid_in_full_state"
    ON "credit_notes" (tenant, "paid_in_full" NULLS FIRST, created_at NULLS FIRST, id NULLS FIRST) INCLUDE ("is_draft", "date_due", "total_paid", "voided_at")
    WHERE deleted_at IS NULL;

ALTER TABLE "advance_invoices"
    ADD COLUMN "note" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'texts', 'note']::text[]) STORED,
    ADD COLUMN "customer_name" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'name']::text[]) STORED,
    ADD COLUMN "customer_email" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'email']::text[]) STORED,
    ADD COLUMN "customer_tax_number" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'tax_number']::text[]) STORED,
    ADD COLUMN "customer_company_number" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'company_number']::text[]) STORED,
    ADD COLUMN "customer_city" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'city']::text[]) STORED,
    ADD COLUMN "customer_country_code" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'country_code']::text[]) STORED,
    ADD COLUMN "business_unit_name" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'business_unit', 'name']::text[]) STORED,
    ADD COLUMN "issuer_name" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'issuer', 'name']::text[]) STORED,
    ALTER COLUMN search TYPE text
        USING racun_bare(regexp_replace(search, '(^|\x1f)adv_item_[0-9a-z]{26}', '', 'g'));
ALTER TABLE "advance_invoices" SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_analyze_scale_factor = 0.05);
-- Found by the index of its order, too.
DROP INDEX "advance_invoices_number_idx", "advance_invoices_date_list", "advance_invoices_customer_id_idx";
CREATE INDEX "advance_invoices_number_order"
    ON "advance_invoices" (tenant, "number" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_is_draft_order"
    ON "advance_invoices" (tenant, "is_draft" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_date_order"
    ON "advance_invoices" (tenant, "date" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_date_due_order"
    ON "advance_invoices" (tenant, "date_due" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_date_valid_till_order"
    ON "advance_invoices" (tenant, "date_valid_till" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "date_valid_till" IS NOT NULL;
CREATE INDEX "advance_invoices_date_year_order"
    ON "advance_invoices" (tenant, "date_year" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_customer_id_order"
    ON "advance_invoices" (tenant, "customer_id" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_business_unit_id_order"
    ON "advance_invoices" (tenant, "business_unit_id" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_currency_code_order"
    ON "advance_invoices" (tenant, "currency_code" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_total_order"
    ON "advance_invoices" (tenant, "total" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_total_with_tax_order"
    ON "advance_invoices" (tenant, "total_with_tax" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_total_discount_order"
    ON "advance_invoices" (tenant, "total_discount" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_total_converted_order"
    ON "advance_invoices" (tenant, "total_converted" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "total_converted" IS NOT NULL;
CREATE INDEX "advance_invoices_total_with_tax_converted_order"
    ON "advance_invoices" (tenant, "total_with_tax_converted" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "total_with_tax_converted" IS NOT NULL;
CREATE INDEX "advance_invoices_total_paid_order"
    ON "advance_invoices" (tenant, "total_paid" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_total_due_order"
    ON "advance_invoices" (tenant, "total_due" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_paid_in_full_order"
    ON "advance_invoices" (tenant, "paid_in_full" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_transaction_type_order"
    ON "advance_invoices" (tenant, "transaction_type" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_creation_source_order"
    ON "advance_invoices" (tenant, "creation_source" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_calculation_mode_order"
    ON "advance_invoices" (tenant, "calculation_mode" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_reference_order"
    ON "advance_invoices" (tenant, "reference" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "reference" IS NOT NULL;
CREATE INDEX "advance_invoices_shareable_id_order"
    ON "advance_invoices" (tenant, "shareable_id" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "shareable_id" IS NOT NULL;
CREATE INDEX "advance_invoices_accepted_at_order"
    ON "advance_invoices" (tenant, "accepted_at" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "accepted_at" IS NOT NULL;
CREATE INDEX "advance_invoices_rejected_at_order"
    ON "advance_invoices" (tenant, "rejected_at" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "rejected_at" IS NOT NULL;
CREATE INDEX "advance_invoices_voided_at_order"
    ON "advance_invoices" (tenant, "voided_at" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "voided_at" IS NOT NULL;
CREATE INDEX "advance_invoices_updated_at_order"
    ON "advance_invoices" (tenant, "updated_at" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_note_order"
    ON "advance_invoices" (tenant, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "note" IS NOT NULL;
CREATE INDEX "advance_invoices_customer_name_order"
    ON "advance_invoices" (tenant, "customer_name" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_customer_email_order"
    ON "advance_invoices" (tenant, "customer_email" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_customer_tax_number_order"
    ON "advance_invoices" (tenant, "customer_tax_number" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_customer_company_number_order"
    ON "advance_invoices" (tenant, "customer_company_number" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "customer_company_number" IS NOT NULL;
CREATE INDEX "advance_invoices_customer_city_order"
    ON "advance_invoices" (tenant, "customer_city" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_customer_country_code_order"
    ON "advance_invoices" (tenant, "customer_country_code" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_business_unit_name_order"
    ON "advance_invoices" (tenant, "business_unit_name" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_issuer_name_order"
    ON "advance_invoices" (tenant, "issuer_name" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "advance_invoices_paid_in_full_state"
    ON "advance_invoices" (tenant, "paid_in_full" NULLS FIRST, created_at NULLS FIRST, id NULLS FIRST) INCLUDE ("is_draft", "date_due", "total_paid", "voided_at")
    WHERE deleted_at IS NULL;

ALTER TABLE "delivery_notes"
    ADD COLUMN "note" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'texts', 'note']::text[]) STORED,
    ADD COLUMN "customer_name" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'name']::text[]) STORED,
    ADD COLUMN "customer_email" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'email']::text[]) STORED,
    ADD COLUMN "customer_tax_number" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'tax_number']::text[]) STORED,
    ADD COLUMN "customer_company_number" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'company_number']::text[]) STORED,
    ADD COLUMN "customer_city" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'city']::text[]) STORED,
    ADD COLUMN "customer_country_code" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'customer', 'country_code']::text[]) STORED,
    ADD COLUMN "business_unit_name" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'business_unit', 'name']::text[]) STORED,
    ADD COLUMN "issuer_name" text COLLATE "C" GENERATED ALWAYS AS (body #>> ARRAY['content', 'issuer', 'name']::text[]) STORED,
    ALTER COLUMN search TYPE text
        USING racun_bare(regexp_replace(search, '(^|\x1f)dn_item_[0-9a-z]{26}', '', 'g'));
ALTER TABLE "delivery_notes" SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_analyze_scale_factor = 0.05);
-- Found by the index of its order, too.
DROP INDEX "delivery_notes_number_idx", "delivery_notes_date_list", "delivery_notes_customer_id_idx";
CREATE INDEX "delivery_notes_number_order"
    ON "delivery_notes" (tenant, "number" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_is_draft_order"
    ON "delivery_notes" (tenant, "is_draft" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_date_order"
    ON "delivery_notes" (tenant, "date" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_date_due_order"
    ON "delivery_notes" (tenant, "date_due" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_date_valid_till_order"
    ON "delivery_notes" (tenant, "date_valid_till" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "date_valid_till" IS NOT NULL;
CREATE INDEX "delivery_notes_date_year_order"
    ON "delivery_notes" (tenant, "date_year" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_customer_id_order"
    ON "delivery_notes" (tenant, "customer_id" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_business_unit_id_order"
    ON "delivery_notes" (tenant, "business_unit_id" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_currency_code_order"
    ON "delivery_notes" (tenant, "currency_code" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_total_order"
    ON "delivery_notes" (tenant, "total" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_total_with_tax_order"
    ON "delivery_notes" (tenant, "total_with_tax" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_total_discount_order"
    ON "delivery_notes" (tenant, "total_discount" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_total_converted_order"
    ON "delivery_notes" (tenant, "total_converted" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "total_converted" IS NOT NULL;
CREATE INDEX "delivery_notes_total_with_tax_converted_order"
    ON "delivery_notes" (tenant, "total_with_tax_converted" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "total_with_tax_converted" IS NOT NULL;
CREATE INDEX "delivery_notes_total_paid_order"
    ON "delivery_notes" (tenant, "total_paid" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_total_due_order"
    ON "delivery_notes" (tenant, "total_due" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_paid_in_full_order"
    ON "delivery_notes" (tenant, "paid_in_full" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_transaction_type_order"
    ON "delivery_notes" (tenant, "transaction_type" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_creation_source_order"
    ON "delivery_notes" (tenant, "creation_source" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_calculation_mode_order"
    ON "delivery_notes" (tenant, "calculation_mode" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_reference_order"
    ON "delivery_notes" (tenant, "reference" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "reference" IS NOT NULL;
CREATE INDEX "delivery_notes_shareable_id_order"
    ON "delivery_notes" (tenant, "shareable_id" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "shareable_id" IS NOT NULL;
CREATE INDEX "delivery_notes_accepted_at_order"
    ON "delivery_notes" (tenant, "accepted_at" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "accepted_at" IS NOT NULL;
CREATE INDEX "delivery_notes_rejected_at_order"
    ON "delivery_notes" (tenant, "rejected_at" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "rejected_at" IS NOT NULL;
CREATE INDEX "delivery_notes_voided_at_order"
    ON "delivery_notes" (tenant, "voided_at" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "voided_at" IS NOT NULL;
CREATE INDEX "delivery_notes_updated_at_order"
    ON "delivery_notes" (tenant, "updated_at" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_note_order"
    ON "delivery_notes" (tenant, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "note" IS NOT NULL;
CREATE INDEX "delivery_notes_customer_name_order"
    ON "delivery_notes" (tenant, "customer_name" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_customer_email_order"
    ON "delivery_notes" (tenant, "customer_email" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_customer_tax_number_order"
    ON "delivery_notes" (tenant, "customer_tax_number" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_customer_company_number_order"
    ON "delivery_notes" (tenant, "customer_company_number" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL AND "customer_company_number" IS NOT NULL;
CREATE INDEX "delivery_notes_customer_city_order"
    ON "delivery_notes" (tenant, "customer_city" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_customer_country_code_order"
    ON "delivery_notes" (tenant, "customer_country_code" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_business_unit_name_order"
    ON "delivery_notes" (tenant, "business_unit_name" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_issuer_name_order"
    ON "delivery_notes" (tenant, "issuer_name" NULLS FIRST, id NULLS FIRST) INCLUDE (created_at)
    WHERE deleted_at IS NULL;
CREATE INDEX "delivery_notes_paid_in_full_state"
    ON "delivery_notes" (tenant, "paid_in_full" NULLS FIRST, created_at NULLS FIRST, id NULLS FIRST) INCLUDE ("is_draft", "date_due", "total_paid", "voided_at")
    WHERE deleted_at IS NULL;

-- What the other lists are searched for.
ALTER TABLE "accounts" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "users" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "sessions" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "entities" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "memberships" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "invitations" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "api_keys" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "customers" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "suppliers" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "items" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "taxes" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "financial_categories" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "business_units" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "document_versions" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "document_relations" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "payments" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "expenses" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "recurring_invoices" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "recurring_runs" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "due_schedules" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "test_clocks" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "pos_tables" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "pos_tabs" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "pos_appends" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "operator_pins" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "operator_tokens" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "fiscal_settings" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "fiscal_premises" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "fiscal_devices" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "fiscal_exchanges" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "due_exchanges" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "jobs" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "log_readers" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "overdue_notices" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "webhook_endpoints" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "webhook_deliveries" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "due_deliveries" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "files" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "keyed_requests" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "mails" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "send_windows" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "mail_tokens" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "subscriptions" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "usage_months" ALTER COLUMN search TYPE text USING racun_bare(search);
ALTER TABLE "due_subscriptions" ALTER COLUMN search TYPE text USING racun_bare(search);
