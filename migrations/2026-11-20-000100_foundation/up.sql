-- What every table of Racun stands on: how text is folded, how tenants are kept apart, and the
-- tables that belong to the store itself.

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_collation WHERE collname = 'und-x-icu') THEN
        RAISE EXCEPTION 'this PostgreSQL has no ICU collations; Racun needs a server built with ICU, '
            'as the packages of the PostgreSQL project and of all large distributions are';
    END IF;
    IF current_setting('server_encoding') <> 'UTF8' THEN
        RAISE EXCEPTION 'this database is encoded in %; Racun needs UTF8: '
            'CREATE DATABASE racun ENCODING ''UTF8'' TEMPLATE template0',
            current_setting('server_encoding');
    END IF;
END
$$;

-- Text without the difference between capitals and small letters, in every script: the same as
-- `racun_kernel::text::fold`, whatever the database's own locale is.
CREATE FUNCTION racun_fold(text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN replace(lower($1 COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C";

-- The role that the program takes after connecting: it reads and writes rows and is bound by the
-- fence, whatever role it logs in with. Roles belong to the whole server, so another database may
-- have made it. Without the right to make roles, an administrator may make it beforehand.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'racun_app') THEN
        CREATE ROLE racun_app NOLOGIN;
        GRANT racun_app TO CURRENT_USER;
    ELSIF NOT pg_has_role('racun_app', 'MEMBER') THEN
        GRANT racun_app TO CURRENT_USER;
    END IF;
EXCEPTION
    WHEN duplicate_object OR unique_violation THEN
        NULL;
    WHEN insufficient_privilege THEN
        RAISE NOTICE 'the role racun_app cannot be made or taken; the fence binds the owner itself';
END
$$;

-- Keeps the tenants of a table apart: a statement reaches the rows of the tenants in the setting
-- `racun.tenants`, parted by commas, and reads all rows when it is `*`. The setting is looked at
-- once for a statement, not for every row.
CREATE FUNCTION racun_fence(fenced regclass) RETURNS void
    LANGUAGE plpgsql
AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', fenced);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', fenced);
    EXECUTE format(
        'CREATE POLICY tenants ON %s USING (tenant = ANY ('
        '(SELECT string_to_array(current_setting(''racun.tenants'', true), '',''))::text[]))',
        fenced);
    EXECUTE format(
        'CREATE POLICY lookups ON %s FOR SELECT '
        'USING ((SELECT current_setting(''racun.tenants'', true) = ''*''))',
        fenced);
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'racun_app') THEN
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO racun_app', fenced);
    END IF;
END
$$;

-- What happened, written in the commit in which it happened.
CREATE TABLE outbox (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    actor text COLLATE "C" NOT NULL,
    at timestamp with time zone NOT NULL
);
SELECT racun_fence('outbox');

-- The last used number of each sequence; null while none is used. Room on the pages lets a new
-- version of a row stay beside the old one, without touching the index.
CREATE TABLE series (
    tenant text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    last bigint CHECK (last >= 0),
    PRIMARY KEY (tenant, key)
) WITH (fillfactor = 50);
SELECT racun_fence('series');

-- How many rows each list has, outside and inside the trash: the sum of the shards, which exist so
-- that writers do not wait for each other. A shard alone may be below zero.
CREATE TABLE list_counts (
    tenant text COLLATE "C" NOT NULL,
    table_name text COLLATE "C" NOT NULL,
    shard smallint NOT NULL CHECK (shard BETWEEN 0 AND 15),
    live bigint NOT NULL,
    trashed bigint NOT NULL,
    PRIMARY KEY (tenant, table_name, shard)
) WITH (fillfactor = 50);
SELECT racun_fence('list_counts');
