DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'racun_app') THEN
        REVOKE UPDATE (snapshot) ON activities FROM racun_app;
    END IF;
END
$$;
DROP INDEX "activities_snapshots";
DROP TRIGGER keep_entries ON "activities";
DROP TRIGGER keep ON "activities";
CREATE TRIGGER keep BEFORE UPDATE OR DELETE OR TRUNCATE ON "activities"
    FOR EACH STATEMENT EXECUTE FUNCTION racun_keep_the_log();
