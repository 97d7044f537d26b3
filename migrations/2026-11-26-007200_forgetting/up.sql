-- Entries of the log stay as they are, but for what their records looked like: that may be forgotten once every reader
-- is past them, and is not written again.
DROP TRIGGER keep ON "activities";
CREATE TRIGGER keep BEFORE DELETE OR TRUNCATE ON "activities"
    FOR EACH STATEMENT EXECUTE FUNCTION racun_keep_the_log();
CREATE TRIGGER keep_entries BEFORE UPDATE ON "activities"
    FOR EACH ROW
    WHEN (
        NEW.snapshot IS NOT NULL
        OR (OLD.tenant, OLD.id, OLD.resource_type, OLD.resource_id, OLD.action, OLD.actor_type, OLD.actor_id,
            OLD.kind, OLD.created_at, OLD.search, OLD.body, OLD.position)
        IS DISTINCT FROM
           (NEW.tenant, NEW.id, NEW.resource_type, NEW.resource_id, NEW.action, NEW.actor_type, NEW.actor_id,
            NEW.kind, NEW.created_at, NEW.search, NEW.body, NEW.position)
    )
    EXECUTE FUNCTION racun_keep_the_log();

CREATE INDEX "activities_snapshots" ON "activities" (tenant, "created_at") WHERE snapshot IS NOT NULL;

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'racun_app') THEN
        GRANT UPDATE (snapshot) ON activities TO racun_app;
    END IF;
END
$$;
