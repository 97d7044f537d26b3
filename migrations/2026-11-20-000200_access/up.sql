-- What crate access declares: accounts and users, who may enter what, and with which key. All of it is
-- directory or account data that is looked up before a request's tenant is known, hence the texts
-- that are unique everywhere: an address, and digests of tokens and keys.

CREATE TABLE "accounts" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    "name" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "accounts_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "accounts_created_at_list"
    ON "accounts" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"accounts"');

CREATE TABLE "users" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    "email" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "users_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "users_created_at_list"
    ON "users" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE UNIQUE INDEX "users_email_key"
    ON "users" ("email");
SELECT racun_fence('"users"');

CREATE TABLE "sessions" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    "user_id" text COLLATE "C",
    "digest" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "sessions_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "sessions_created_at_list"
    ON "sessions" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "sessions_user_id_idx"
    ON "sessions" ("user_id", tenant, id);
CREATE UNIQUE INDEX "sessions_digest_key"
    ON "sessions" ("digest");
SELECT racun_fence('"sessions"');

CREATE TABLE "entities" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    "name" text COLLATE "C",
    "environment" text COLLATE "C",
    "country_code" text COLLATE "C",
    "tax_number" text COLLATE "C",
    "is_enabled" boolean,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "entities_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "entities_created_at_list"
    ON "entities" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"entities"');

CREATE TABLE "memberships" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    "entity_id" text COLLATE "C",
    "user_id" text COLLATE "C",
    "entity_user" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "memberships_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "memberships_created_at_list"
    ON "memberships" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "memberships_entity_id_idx"
    ON "memberships" ("entity_id", tenant, id);
CREATE INDEX "memberships_user_id_idx"
    ON "memberships" ("user_id", tenant, id);
CREATE UNIQUE INDEX "memberships_entity_user_key"
    ON "memberships" ("entity_user");
SELECT racun_fence('"memberships"');

CREATE TABLE "invitations" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    "entity_id" text COLLATE "C",
    "token_digest" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "invitations_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "invitations_created_at_list"
    ON "invitations" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "invitations_entity_id_idx"
    ON "invitations" ("entity_id", tenant, id);
CREATE UNIQUE INDEX "invitations_token_digest_key"
    ON "invitations" ("token_digest");
SELECT racun_fence('"invitations"');

CREATE TABLE "api_keys" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    "owner" text COLLATE "C",
    "digest" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "api_keys_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "api_keys_created_at_list"
    ON "api_keys" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "api_keys_owner_idx"
    ON "api_keys" ("owner", tenant, id);
CREATE UNIQUE INDEX "api_keys_digest_key"
    ON "api_keys" ("digest");
SELECT racun_fence('"api_keys"');
