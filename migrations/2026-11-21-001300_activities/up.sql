-- The log of what happened, which takes the place of the table `outbox`. That one stays for servers of
-- the version before, which write it, and nobody reads it: a later version removes it.

CREATE SEQUENCE activities_position AS bigint;

CREATE TABLE "activities" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "resource_type" text COLLATE "C" NOT NULL CHECK ("resource_type" <> ''),
    "resource_id" text COLLATE "C" NOT NULL,
    "action" text COLLATE "C" NOT NULL CHECK ("action" <> ''),
    "actor_type" text COLLATE "C" NOT NULL
        CHECK ("actor_type" IN ('user', 'system', 'api_key', 'cron', 'webhook')),
    "actor_id" text COLLATE "C",
    "kind" text COLLATE "C" NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    -- What the record looked like, for kinds that receivers may subscribe to. As it is: nobody asks
    -- what is inside.
    snapshot text,
    -- Its place among the entries of all tenants. Whoever takes one has an id of a transaction before:
    -- by that, readers know when no smaller place comes to light any more.
    position bigint NOT NULL DEFAULT (
        CASE WHEN pg_current_xact_id() IS NOT NULL THEN nextval('activities_position') END
    ),
    CONSTRAINT "activities_pkey" PRIMARY KEY (tenant, id)
);
ALTER SEQUENCE activities_position OWNED BY "activities".position;
CREATE UNIQUE INDEX "activities_position_order" ON "activities" (position);
CREATE INDEX "activities_resource_id_idx"
    ON "activities" ("resource_id", tenant, id);
CREATE INDEX "activities_created_at_list"
    ON "activities" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"activities"');

-- What happened has happened: nobody rewrites it, whatever role they have.
CREATE FUNCTION racun_keep_the_log() RETURNS trigger
    LANGUAGE plpgsql
AS $$
BEGIN
    RAISE EXCEPTION 'the log is not rewritten' USING ERRCODE = 'integrity_constraint_violation';
END
$$;
CREATE TRIGGER keep BEFORE UPDATE OR DELETE OR TRUNCATE ON "activities"
    FOR EACH STATEMENT EXECUTE FUNCTION racun_keep_the_log();

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'racun_app') THEN
        REVOKE UPDATE, DELETE ON activities FROM racun_app;
        GRANT USAGE ON SEQUENCE activities_position TO racun_app;
    END IF;
END
$$;
