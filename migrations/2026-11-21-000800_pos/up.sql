-- What crate pos declares: tables, the tabs opened on them, and the appends to tabs that were accepted,
-- each a row of its own so that a tab does not grow with its retries. The checks are a second fence: a
-- tab holds a claim or an invoice in the one state that has it.

CREATE TABLE "pos_tables" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "label" text COLLATE "C",
    "sort_order" numeric,
    "is_active" boolean,
    "metadata" jsonb,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    "deleted_at" timestamp with time zone,
    "live_of" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "pos_tables_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "pos_tables_created_at_list"
    ON "pos_tables" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "pos_tables_live_of_idx"
    ON "pos_tables" ("live_of", tenant, id);
SELECT racun_fence('"pos_tables"');

CREATE TABLE "pos_tabs" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "status" text COLLATE "C",
    "version" numeric,
    "table_id" text COLLATE "C",
    "customer_id" text COLLATE "C",
    "note" text COLLATE "C",
    "claimed_by_device" text COLLATE "C",
    "claimed_at" timestamp with time zone,
    "invoice_id" text COLLATE "C",
    "issued_at" timestamp with time zone,
    "metadata" jsonb,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    "occupied_table_id" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "pos_tabs_pkey" PRIMARY KEY (tenant, id),
    CONSTRAINT "pos_tabs_status_check"
        CHECK ("status" IN ('open', 'issuing', 'issued', 'cancelled')),
    CONSTRAINT "pos_tabs_version_check" CHECK ("version" >= 1),
    CONSTRAINT "pos_tabs_claim_check" CHECK (("status" = 'issuing')
        = ("claimed_by_device" IS NOT NULL AND "claimed_at" IS NOT NULL)),
    CONSTRAINT "pos_tabs_invoice_check" CHECK (("status" = 'issued')
        = ("invoice_id" IS NOT NULL AND "issued_at" IS NOT NULL))
);
CREATE INDEX "pos_tabs_status_idx"
    ON "pos_tabs" ("status", tenant, id);
CREATE INDEX "pos_tabs_created_at_list"
    ON "pos_tabs" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "pos_tabs_occupied_table_id_idx"
    ON "pos_tabs" ("occupied_table_id", tenant, id);
SELECT racun_fence('"pos_tabs"');

CREATE TABLE "pos_appends" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "tab_id" text COLLATE "C",
    "created_at" timestamp with time zone NOT NULL,
    "key" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "pos_appends_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "pos_appends_created_at_list"
    ON "pos_appends" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "pos_appends_key_idx"
    ON "pos_appends" ("key", tenant, id);
SELECT racun_fence('"pos_appends"');
