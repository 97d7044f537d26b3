-- Payments by card: the account of an entity at the processor (account_key names it everywhere), consents that wait
-- for their entity, pages on which documents are paid (own_id finds one of whichever entity), and what accounts took.
CREATE TABLE "payment_apps" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "account_key" text COLLATE "C",
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "payment_apps_pkey" PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX "payment_apps_account_key_key"
    ON "payment_apps" ("account_key");
CREATE INDEX "payment_apps_created_at_list"
    ON "payment_apps" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"payment_apps"');

CREATE TABLE "payment_app_consents" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "until" timestamp with time zone,
    "created_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "payment_app_consents_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "payment_app_consents_created_at_list"
    ON "payment_app_consents" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"payment_app_consents"');

CREATE TABLE "card_sessions" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "document_id" text COLLATE "C",
    "state" text COLLATE "C",
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    "own_id" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "card_sessions_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "card_sessions_document_id_idx"
    ON "card_sessions" ("document_id", tenant, id);
CREATE INDEX "card_sessions_created_at_list"
    ON "card_sessions" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE UNIQUE INDEX "card_sessions_own_id_key"
    ON "card_sessions" ("own_id");
SELECT racun_fence('"card_sessions"');

CREATE TABLE "card_charges" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "account_id" text COLLATE "C",
    "document_id" text COLLATE "C",
    "amount" numeric,
    "currency_code" text COLLATE "C",
    "status" text COLLATE "C",
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "card_charges_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "card_charges_document_id_idx"
    ON "card_charges" ("document_id", tenant, id);
CREATE INDEX "card_charges_created_at_list"
    ON "card_charges" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"card_charges"');
