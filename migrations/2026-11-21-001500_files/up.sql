-- Uploaded files: what they are and what they belong to. Their bytes are kept elsewhere.

CREATE TABLE "files" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "category" text COLLATE "C",
    "business_unit_id" text COLLATE "C",
    "expense_id" text COLLATE "C",
    "invoice_id" text COLLATE "C",
    "estimate_id" text COLLATE "C",
    "credit_note_id" text COLLATE "C",
    "advance_invoice_id" text COLLATE "C",
    "format" text COLLATE "C",
    "width" numeric,
    "height" numeric,
    "bytes" numeric,
    "filename" text COLLATE "C",
    "slot" text COLLATE "C",
    "metadata" jsonb,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "files_pkey" PRIMARY KEY (tenant, id),
    CONSTRAINT "files_category_check" CHECK ("category" IN ('logo', 'signature', 'attachment')),
    CONSTRAINT "files_slot_check" CHECK (("category" = 'attachment') = ("slot" IS NULL)),
    CONSTRAINT "files_bytes_check" CHECK ("bytes" > 0)
);
CREATE INDEX "files_slot_idx"
    ON "files" ("slot", tenant, id);
CREATE INDEX "files_created_at_list"
    ON "files" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"files"');
