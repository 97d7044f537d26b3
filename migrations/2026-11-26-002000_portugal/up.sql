-- What crate portugal declares: series of documents, each with the last document of its chain; forms that
-- documents were recovered from; and who calls the authority for an entity, whose password is sealed under a
-- key that is not in the database. The authority knows an identifier once for a type of document, one
-- series of a type is active, and a form is entered once.

CREATE TABLE "pt_series" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "document_type" text COLLATE "C",
    "series_code" text COLLATE "C",
    "validation_code" text COLLATE "C",
    "start_date" date,
    "is_manual" boolean,
    "initial_sequence" numeric,
    "status" text COLLATE "C",
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    "key" text COLLATE "C",
    "active" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "pt_series_pkey" PRIMARY KEY (tenant, id),
    CONSTRAINT "pt_series_status_check" CHECK ("status" IN ('active', 'closed'))
);
CREATE INDEX "pt_series_created_at_list"
    ON "pt_series" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE UNIQUE INDEX "pt_series_key_key"
    ON "pt_series" ("key", tenant);
CREATE UNIQUE INDEX "pt_series_active_key"
    ON "pt_series" ("active", tenant);
SELECT racun_fence('"pt_series"');

CREATE TABLE "pt_forms" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    "key" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "pt_forms_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "pt_forms_created_at_list"
    ON "pt_forms" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE UNIQUE INDEX "pt_forms_key_key"
    ON "pt_forms" ("key", tenant);
SELECT racun_fence('"pt_forms"');

CREATE TABLE "pt_settings" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "communicate_invoices" boolean,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "pt_settings_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "pt_settings_created_at_list"
    ON "pt_settings" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"pt_settings"');
