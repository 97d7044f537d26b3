-- Takings of a day ask what was voided on it, and what was paid on it, of all documents.

CREATE INDEX "invoices_voided_at_list"
    ON "invoices" (tenant, "voided_at" DESC NULLS LAST, id DESC NULLS LAST)
    WHERE "voided_at" IS NOT NULL;
CREATE INDEX "estimates_voided_at_list"
    ON "estimates" (tenant, "voided_at" DESC NULLS LAST, id DESC NULLS LAST)
    WHERE "voided_at" IS NOT NULL;
CREATE INDEX "credit_notes_voided_at_list"
    ON "credit_notes" (tenant, "voided_at" DESC NULLS LAST, id DESC NULLS LAST)
    WHERE "voided_at" IS NOT NULL;
CREATE INDEX "advance_invoices_voided_at_list"
    ON "advance_invoices" (tenant, "voided_at" DESC NULLS LAST, id DESC NULLS LAST)
    WHERE "voided_at" IS NOT NULL;
CREATE INDEX "delivery_notes_voided_at_list"
    ON "delivery_notes" (tenant, "voided_at" DESC NULLS LAST, id DESC NULLS LAST)
    WHERE "voided_at" IS NOT NULL;
CREATE INDEX "payments_date_list"
    ON "payments" (tenant, "date" DESC NULLS LAST, id DESC NULLS LAST);
