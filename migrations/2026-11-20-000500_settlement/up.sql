-- What crate settlement declares: payments, and the expenses that suppliers charge. `allocation_of` finds
-- the advance money of one invoice among thousands of payments.

CREATE TABLE "payments" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "invoice_id" text COLLATE "C",
    "credit_note_id" text COLLATE "C",
    "advance_invoice_id" text COLLATE "C",
    "expense_id" text COLLATE "C",
    "applied_to_expense_id" text COLLATE "C",
    "amount" numeric,
    "type" text COLLATE "C",
    "date" date,
    "reference" text COLLATE "C",
    "tag" text COLLATE "C",
    "note" text COLLATE "C",
    "metadata" jsonb,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    "deleted_at" timestamp with time zone,
    "allocation_of" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "payments_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "payments_invoice_id_idx"
    ON "payments" ("invoice_id", tenant, id);
CREATE INDEX "payments_credit_note_id_idx"
    ON "payments" ("credit_note_id", tenant, id);
CREATE INDEX "payments_advance_invoice_id_idx"
    ON "payments" ("advance_invoice_id", tenant, id);
CREATE INDEX "payments_expense_id_idx"
    ON "payments" ("expense_id", tenant, id);
CREATE INDEX "payments_applied_to_expense_id_idx"
    ON "payments" ("applied_to_expense_id", tenant, id);
CREATE INDEX "payments_created_at_list"
    ON "payments" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "payments_allocation_of_idx"
    ON "payments" ("allocation_of", tenant, id);
SELECT racun_fence('"payments"');

CREATE TABLE "expenses" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "number" text COLLATE "C",
    "is_draft" boolean,
    "supplier_id" text COLLATE "C",
    "supplier_document_number" text COLLATE "C",
    "date" date,
    "date_received" date,
    "date_due" date,
    "date_service" date,
    "date_service_to" date,
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
    "reference" text COLLATE "C",
    "note" text COLLATE "C",
    "metadata" jsonb,
    "voided_at" timestamp with time zone,
    "deleted_at" timestamp with time zone,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "expenses_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "expenses_supplier_id_idx"
    ON "expenses" ("supplier_id", tenant, id);
CREATE INDEX "expenses_date_list"
    ON "expenses" (tenant, "date" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "expenses_created_at_list"
    ON "expenses" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"expenses"');
