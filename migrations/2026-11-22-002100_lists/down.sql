DROP INDEX "invoices_number_order", "invoices_is_draft_order", "invoices_date_order", "invoices_date_due_order", "invoices_date_valid_till_order", "invoices_date_year_order", "invoices_customer_id_order", "invoices_business_unit_id_order", "invoices_currency_code_order", "invoices_total_order", "invoices_total_with_tax_order", "invoices_total_discount_order", "invoices_total_converted_order", "invoices_total_with_tax_converted_order", "invoices_total_paid_order", "invoices_total_due_order", "invoices_paid_in_full_order", "invoices_transaction_type_order", "invoices_creation_source_order", "invoices_calculation_mode_order", "invoices_reference_order", "invoices_shareable_id_order", "invoices_accepted_at_order", "invoices_rejected_at_order", "invoices_voided_at_order", "invoices_updated_at_order", "invoices_note_order", "invoices_customer_name_order", "invoices_customer_email_order", "invoices_customer_tax_number_order", "invoices_customer_company_number_order", "invoices_customer_city_order", "invoices_customer_country_code_order", "invoices_business_unit_name_order", "invoices_issuer_name_order", "invoices_paid_in_full_state";
ALTER TABLE "invoices" RESET (autovacuum_vacuum_insert_scale_factor, autovacuum_vacuum_scale_factor,
    autovacuum_analyze_scale_factor);
ALTER TABLE "invoices"
    DROP COLUMN "note",
    DROP COLUMN "customer_name",
    DROP COLUMN "customer_email",
    DROP COLUMN "customer_tax_number",
    DROP COLUMN "customer_company_number",
    DROP COLUMN "customer_city",
    DROP COLUMN "customer_country_code",
    DROP COLUMN "business_unit_name",
    DROP COLUMN "issuer_name";
CREATE INDEX "invoices_number_idx"
    ON "invoices" ("number", tenant, id);
CREATE INDEX "invoices_date_list"
    ON "invoices" (tenant, "date" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "invoices_customer_id_idx"
    ON "invoices" ("customer_id", tenant, id);

DROP INDEX "estimates_number_order", "estimates_is_draft_order", "estimates_date_order", "estimates_date_due_order", "estimates_date_valid_till_order", "estimates_date_year_order", "estimates_customer_id_order", "estimates_business_unit_id_order", "estimates_currency_code_order", "estimates_total_order", "estimates_total_with_tax_order", "estimates_total_discount_order", "estimates_total_converted_order", "estimates_total_with_tax_converted_order", "estimates_total_paid_order", "estimates_total_due_order", "estimates_paid_in_full_order", "estimates_transaction_type_order", "estimates_creation_source_order", "estimates_calculation_mode_order", "estimates_reference_order", "estimates_shareable_id_order", "estimates_accepted_at_order", "estimates_rejected_at_order", "estimates_voided_at_order", "estimates_updated_at_order", "estimates_note_order", "estimates_customer_name_order", "estimates_customer_email_order", "estimates_customer_tax_number_order", "estimates_customer_company_number_order", "estimates_customer_city_order", "estimates_customer_country_code_order", "estimates_business_unit_name_order", "estimates_issuer_name_order", "estimates_paid_in_full_state";
ALTER TABLE "estimates" RESET (autovacuum_vacuum_insert_scale_factor, autovacuum_vacuum_scale_factor,
    autovacuum_analyze_scale_factor);
ALTER TABLE "estimates"
    DROP COLUMN "note",
    DROP COLUMN "customer_name",
    DROP COLUMN "customer_email",
    DROP COLUMN "customer_tax_number",
    DROP COLUMN "customer_company_number",
    DROP COLUMN "customer_city",
    DROP COLUMN "customer_country_code",
    DROP COLUMN "business_unit_name",
    DROP COLUMN "issuer_name";
CREATE INDEX "estimates_number_idx"
    ON "estimates" ("number", tenant, id);
CREATE INDEX "estimates_date_list"
    ON "estimates" (tenant, "date" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "estimates_customer_id_idx"
    ON "estimates" ("customer_id", tenant, id);

DROP INDEX "credit_notes_number_order", "credit_notes_is_draft_order", "credit_notes_date_order", "credit_notes_date_due_order", "credit_notes_date_valid_till_order", "credit_notes_date_year_order", "credit_notes_customer_id_order", "credit_notes_business_unit_id_order", "credit_notes_currency_code_order", "credit_notes_total_order", "credit_notes_total_with_tax_order", "credit_notes_total_discount_order", "credit_notes_total_converted_order", "credit_notes_total_with_tax_converted_order", "credit_notes_total_paid_order", "credit_notes_total_due_order", "credit_notes_paid_in_full_order", "credit_notes_transaction_type_order", "credit_notes_creation_source_order", "credit_notes_calculation_mode_order", "credit_notes_reference_order", "credit_notes_shareable_id_order", "credit_notes_accepted_at_order", "credit_notes_rejected_at_order", "credit_notes_voided_at_order", "credit_notes_updated_at_order", "credit_notes_note_order", "credit_notes_customer_name_order", "credit_notes_customer_email_order", "credit_notes_customer_tax_number_order", "credit_notes_customer_company_number_order", "credit_notes_customer_city_order", "credit_notes_customer_country_code_order", "credit_notes_business_unit_name_order", "credit_notes_issuer_name_order", "credit_notes_paid_in_full_state";
ALTER TABLE "credit_notes" RESET (autovacuum_vacuum_insert_scale_factor, autovacuum_vacuum_scale_factor,
    autovacuum_analyze_scale_factor);
ALTER TABLE "credit_notes"
    DROP COLUMN "note",
    DROP COLUMN "customer_name",
    DROP COLUMN "customer_email",
    DROP COLUMN "customer_tax_number",
    DROP COLUMN "customer_company_number",
    DROP COLUMN "customer_city",
    DROP COLUMN "customer_country_code",
    DROP COLUMN "business_unit_name",
    DROP COLUMN "issuer_name";
CREATE INDEX "credit_notes_number_idx"
    ON "credit_notes" ("number", tenant, id);
CREATE INDEX "credit_notes_date_list"
    ON "credit_notes" (tenant, "date" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "credit_notes_customer_id_idx"
    ON "credit_notes" ("customer_id", tenant, id);

DROP INDEX "advance_invoices_number_order", "advance_invoices_is_draft_order", "advance_invoices_date_order", "advance_invoices_date_due_order", "advance_invoices_date_valid_till_order", "advance_invoices_date_year_order", "advance_invoices_customer_id_order", "advance_invoices_business_unit_id_order", "advance_invoices_currency_code_order", "advance_invoices_total_order", "advance_invoices_total_with_tax_order", "advance_invoices_total_discount_order", "advance_invoices_total_converted_order", "advance_invoices_total_with_tax_converted_order", "advance_invoices_total_paid_order", "advance_invoices_total_due_order", "advance_invoices_paid_in_full_order", "advance_invoices_transaction_type_order", "advance_invoices_creation_source_order", "advance_invoices_calculation_mode_order", "advance_invoices_reference_order", "advance_invoices_shareable_id_order", "advance_invoices_accepted_at_order", "advance_invoices_rejected_at_order", "advance_invoices_voided_at_order", "advance_invoices_updated_at_order", "advance_invoices_note_order", "advance_invoices_customer_name_order", "advance_invoices_customer_email_order", "advance_invoices_customer_tax_number_order", "advance_invoices_customer_company_number_order", "advance_invoices_customer_city_order", "advance_invoices_customer_country_code_order", "advance_invoices_business_unit_name_order", "advance_invoices_issuer_name_order", "advance_invoices_paid_in_full_state";
ALTER TABLE "advance_invoices" RESET (autovacuum_vacuum_insert_scale_factor, autovacuum_vacuum_scale_factor,
    autovacuum_analyze_scale_factor);
ALTER TABLE "advance_invoices"
    DROP COLUMN "note",
    DROP COLUMN "customer_name",
    DROP COLUMN "customer_email",
    DROP COLUMN "customer_tax_number",
    DROP COLUMN "customer_company_number",
    DROP COLUMN "customer_city",
    DROP COLUMN "customer_country_code",
    DROP COLUMN "business_unit_name",
    DROP COLUMN "issuer_name";
CREATE INDEX "advance_invoices_number_idx"
    ON "advance_invoices" ("number", tenant, id);
CREATE INDEX "advance_invoices_date_list"
    ON "advance_invoices" (tenant, "date" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "advance_invoices_customer_id_idx"
    ON "advance_invoices" ("customer_id", tenant, id);

DROP INDEX "delivery_notes_number_order", "delivery_notes_is_draft_order", "delivery_notes_date_order", "delivery_notes_date_due_order", "delivery_notes_date_valid_till_order", "delivery_notes_date_year_order", "delivery_notes_customer_id_order", "delivery_notes_business_unit_id_order", "delivery_notes_currency_code_order", "delivery_notes_total_order", "delivery_notes_total_with_tax_order", "delivery_notes_total_discount_order", "delivery_notes_total_converted_order", "delivery_notes_total_with_tax_converted_order", "delivery_notes_total_paid_order", "delivery_notes_total_due_order", "delivery_notes_paid_in_full_order", "delivery_notes_transaction_type_order", "delivery_notes_creation_source_order", "delivery_notes_calculation_mode_order", "delivery_notes_reference_order", "delivery_notes_shareable_id_order", "delivery_notes_accepted_at_order", "delivery_notes_rejected_at_order", "delivery_notes_voided_at_order", "delivery_notes_updated_at_order", "delivery_notes_note_order", "delivery_notes_customer_name_order", "delivery_notes_customer_email_order", "delivery_notes_customer_tax_number_order", "delivery_notes_customer_company_number_order", "delivery_notes_customer_city_order", "delivery_notes_customer_country_code_order", "delivery_notes_business_unit_name_order", "delivery_notes_issuer_name_order", "delivery_notes_paid_in_full_state";
ALTER TABLE "delivery_notes" RESET (autovacuum_vacuum_insert_scale_factor, autovacuum_vacuum_scale_factor,
    autovacuum_analyze_scale_factor);
ALTER TABLE "delivery_notes"
    DROP COLUMN "note",
    DROP COLUMN "customer_name",
    DROP COLUMN "customer_email",
    DROP COLUMN "customer_tax_number",
    DROP COLUMN "customer_company_number",
    DROP COLUMN "customer_city",
    DROP COLUMN "customer_country_code",
    DROP COLUMN "business_unit_name",
    DROP COLUMN "issuer_name";
CREATE INDEX "delivery_notes_number_idx"
    ON "delivery_notes" ("number", tenant, id);
CREATE INDEX "delivery_notes_date_list"
    ON "delivery_notes" (tenant, "date" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "delivery_notes_customer_id_idx"
    ON "delivery_notes" ("customer_id", tenant, id);

DROP FUNCTION racun_bare(text);
