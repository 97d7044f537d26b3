CREATE OR REPLACE FUNCTION racun_write_in(known bigint) RETURNS boolean
    LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(491260798319);
    IF (SELECT epoch FROM lease) IS DISTINCT FROM known THEN
        RAISE EXCEPTION 'racun: the epoch has ended';
    END IF;
    RETURN true;
END
$$;
