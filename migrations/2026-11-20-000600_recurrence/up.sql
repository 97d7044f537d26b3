-- Schedules that make invoices, the runs that they made (each period once, which `period` holds), and
-- the directory in which a worker of any process finds the schedules of all tenants that are due.

CREATE TABLE "recurring_invoices" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "document_id" text COLLATE "C",
    "name" text COLLATE "C",
    "frequency" text COLLATE "C",
    "interval" numeric,
    "day_of_week" numeric,
    "day_of_month" numeric,
    "month_of_year" numeric,
    "start_date" date,
    "end_date" date,
    "next_run_date" date,
    "last_run_date" date,
    "status" text COLLATE "C",
    "auto_send" boolean,
    "create_as_draft" boolean,
    "send_to" text COLLATE "C",
    "payment_terms_days" numeric,
    "notify_owner" boolean,
    "invoices_generated" numeric,
    "last_generated_invoice_id" text COLLATE "C",
    "last_error" text COLLATE "C",
    "last_error_at" timestamp with time zone,
    "metadata" jsonb,
    "deleted_at" timestamp with time zone,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "recurring_invoices_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "recurring_invoices_document_id_idx"
    ON "recurring_invoices" ("document_id", tenant, id);
CREATE INDEX "recurring_invoices_created_at_list"
    ON "recurring_invoices" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"recurring_invoices"');

CREATE TABLE "recurring_runs" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "recurring_invoice_id" text COLLATE "C",
    "run_date" date,
    "invoice_id" text COLLATE "C",
    "created_at" timestamp with time zone NOT NULL,
    "period" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "recurring_runs_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "recurring_runs_recurring_invoice_id_idx"
    ON "recurring_runs" ("recurring_invoice_id", tenant, id);
CREATE INDEX "recurring_runs_created_at_list"
    ON "recurring_runs" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE UNIQUE INDEX "recurring_runs_period_key"
    ON "recurring_runs" ("period", tenant);
SELECT racun_fence('"recurring_runs"');

CREATE TABLE "due_schedules" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "entity_id" text COLLATE "C",
    "account_id" text COLLATE "C",
    "environment" text COLLATE "C",
    "run_on" date,
    "created_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "due_schedules_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "due_schedules_account_id_idx"
    ON "due_schedules" ("account_id", tenant, id);
CREATE INDEX "due_schedules_run_on_list"
    ON "due_schedules" (tenant, "run_on" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "due_schedules_created_at_list"
    ON "due_schedules" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"due_schedules"');
