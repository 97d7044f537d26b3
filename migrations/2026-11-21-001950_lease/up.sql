-- By which process may write, and which one may believe that nobody else does. The one row counts epochs;
-- every transaction that writes says in which one it believes to be, and fails in another. What epochs mean
-- is in docs/adr/0014.
CREATE TABLE lease (
    is_there boolean PRIMARY KEY DEFAULT true CHECK (is_there),
    epoch bigint NOT NULL,
    state text COLLATE "C" NOT NULL CHECK (state IN ('crowd', 'alone', 'leaving'))
);
INSERT INTO lease (epoch, state) VALUES (1, 'crowd');

-- Lets a transaction write in the epoch `known`, which does not end before the transaction does. In a
-- function of several statements each sees what was committed before it: the second one looks at the row
-- after the lock was got.
CREATE FUNCTION racun_write_in(known bigint) RETURNS boolean
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

-- Ends the epoch `known` once nobody writes in it, and begins the next one. Answers its number; nothing
-- when another has ended it.
CREATE FUNCTION racun_end_epoch(known bigint, next_state text) RETURNS bigint
    LANGUAGE plpgsql
AS $$
DECLARE
    next_epoch bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(491260798319);
    UPDATE lease SET epoch = epoch + 1, state = next_state WHERE epoch = known
        RETURNING epoch INTO next_epoch;
    RETURN next_epoch;
END
$$;

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'racun_app') THEN
        GRANT SELECT, UPDATE ON lease TO racun_app;
    END IF;
END
$$;
