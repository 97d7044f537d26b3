-- Second factors of users, by their users' ids, and the accounts that users have at an identity provider.
CREATE TABLE "second_factors" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "second_factors_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "second_factors_created_at_list"
    ON "second_factors" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"second_factors"');

CREATE TABLE "identities" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    "user_id" text COLLATE "C",
    "person" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "identities_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "identities_created_at_list"
    ON "identities" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "identities_user_id_idx"
    ON "identities" ("user_id", tenant, id);
CREATE UNIQUE INDEX "identities_person_key"
    ON "identities" ("person");
SELECT racun_fence('"identities"');
