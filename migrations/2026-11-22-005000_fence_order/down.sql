CREATE OR REPLACE FUNCTION racun_bare(text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN octet_length($1) = length($1) THEN lower($1 COLLATE "C") ELSE
        replace(replace(replace(replace(translate(
            regexp_replace(normalize(lower($1 COLLATE "und-x-icu"), NFD) COLLATE "C",
                U&'[\0300-\036F]', '', 'g'),
            'ςđðħıłøŧ', 'σddhilot'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')
        END COLLATE "C";

DO $$
DECLARE
    fenced regclass;
BEGIN
    FOR fenced IN SELECT polrelid FROM pg_policy WHERE polname = 'tenants' LOOP
        EXECUTE format(
            'ALTER POLICY tenants ON %s USING (tenant = ANY ('
            '(SELECT string_to_array(current_setting(''racun.tenants'', true), '',''))::text[]))',
            fenced);
    END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION racun_fence(fenced regclass) RETURNS void
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
