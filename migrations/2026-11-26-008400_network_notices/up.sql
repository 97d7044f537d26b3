-- What the provider of the network tells of a submission finds it by its own id, or by the provider's name for it,
-- also when its job has ended. Rows that exist take both by a change of type: it rewrites rows of all tenants, whom
-- no statement here names.
ALTER TABLE "e_invoice_submissions" ADD COLUMN "own_id" text COLLATE "C";
ALTER TABLE "e_invoice_submissions" ADD COLUMN "provider_reference" text COLLATE "C";
ALTER TABLE "e_invoice_submissions" ALTER COLUMN "own_id" TYPE text COLLATE "C" USING "id";
ALTER TABLE "e_invoice_submissions" ALTER COLUMN "provider_reference" TYPE text COLLATE "C"
    USING "body" ->> 'provider_reference';
CREATE INDEX "e_invoice_submissions_own_id_idx"
    ON "e_invoice_submissions" ("own_id", tenant, id);
CREATE INDEX "e_invoice_submissions_provider_reference_idx"
    ON "e_invoice_submissions" ("provider_reference", tenant, id);
