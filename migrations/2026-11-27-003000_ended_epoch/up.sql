-- Who writes in an epoch that has ended is refused with an SQLSTATE and the name of a constraint, which the
-- program recognises in place of the text. The text stays: servers of the version before compare it.
CREATE OR REPLACE FUNCTION racun_write_in(known bigint) RETURNS boolean
    LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(491260798319);
    IF (SELECT epoch FROM lease) IS DISTINCT FROM known THEN
        RAISE EXCEPTION 'racun: the epoch has ended'
            USING ERRCODE = 'serialization_failure', CONSTRAINT = 'racun_epoch';
    END IF;
    RETURN true;
END
$$;
