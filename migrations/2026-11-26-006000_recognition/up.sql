-- Revenue and cost that is spread over days of service: an entry for each line, written with its document.
CREATE TABLE "recognition_entries" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "side" text COLLATE "C",
    "document_id" text COLLATE "C",
    "invoiced_on" date,
    "starts_on" date,
    "settled_on" date,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "recognition_entries_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "recognition_entries_document_id_idx"
    ON "recognition_entries" ("document_id", tenant, id);
CREATE INDEX "recognition_entries_created_at_list"
    ON "recognition_entries" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"recognition_entries"');
