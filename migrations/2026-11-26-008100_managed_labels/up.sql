-- White labels that the operator manages by the interface: one row, for what one may be hangs on the others.
CREATE TABLE "managed_labels" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "managed_labels_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "managed_labels_created_at_list"
    ON "managed_labels" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"managed_labels"');
