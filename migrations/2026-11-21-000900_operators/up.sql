-- Operators of tills: their PINs with the failures counted against them, and their tokens. A PIN's row
-- is found by its user's id; a token's digest is looked up before a request's tenant is known, hence
-- unique everywhere.

CREATE TABLE "operator_pins" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "operator_pins_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "operator_pins_created_at_list"
    ON "operator_pins" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"operator_pins"');

CREATE TABLE "operator_tokens" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    "user_id" text COLLATE "C",
    "digest" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "operator_tokens_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "operator_tokens_created_at_list"
    ON "operator_tokens" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "operator_tokens_user_id_idx"
    ON "operator_tokens" ("user_id", tenant, id);
CREATE UNIQUE INDEX "operator_tokens_digest_key"
    ON "operator_tokens" ("digest");
SELECT racun_fence('"operator_tokens"');
