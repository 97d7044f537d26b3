-- Which master key the secrets of this database are sealed under: its id, so that no process works with another
-- one; and the key of PINs, sealed under it.

CREATE TABLE "master_keys" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "master_keys_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "master_keys_created_at_list"
    ON "master_keys" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"master_keys"');
