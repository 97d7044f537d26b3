-- Whose an invitation and a key are: invitations are found by the address that they are for, keys by who
-- made them.

-- The database fills the column from the bodies once, for rows of all tenants; from then on it is written.
ALTER TABLE "invitations" ADD COLUMN "email" text COLLATE "C"
    GENERATED ALWAYS AS (lower((body ->> 'email') COLLATE "und-x-icu") COLLATE "C") STORED;
ALTER TABLE "invitations" ALTER COLUMN "email" DROP EXPRESSION;
CREATE INDEX "invitations_email_idx"
    ON "invitations" ("email", tenant, id);

ALTER TABLE "api_keys" ADD COLUMN "created_by" text COLLATE "C";
CREATE INDEX "api_keys_created_by_idx"
    ON "api_keys" ("created_by", tenant, id);

-- Failed log-ins by a digest of the address, for a day.
CREATE TABLE "login_guards" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "login_guards_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "login_guards_created_at_list"
    ON "login_guards" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"login_guards"');
