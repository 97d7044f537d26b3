-- Requests of the current minute, counted for all processes that share the database. The counts are worth
-- nothing after a crash, so they are not logged, and no commit waits for the disk. Keys are digests.

CREATE UNLOGGED TABLE rate_counts (
    minute bigint NOT NULL,
    key text COLLATE "C" NOT NULL,
    used bigint NOT NULL CHECK (used >= 0),
    PRIMARY KEY (minute, key)
) WITH (fillfactor = 50);

-- Counts requests, each in all of its buckets or, when one of them is full, in none. The arrays have an
-- entry for each bucket of each request; those of one request stand together. Buckets are held in the order
-- of their keys, so that no two of these wait for each other.
CREATE FUNCTION racun_take(requests bigint[], keys text[], limits bigint[])
    RETURNS TABLE (
        request bigint,
        granted boolean,
        used bigint,
        ends_at bigint,
        seconds_left bigint
    )
    LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
    at constant bigint := floor(extract(epoch FROM clock_timestamp()));
    this constant bigint := at / 60;
    made bigint;
    names text[];
    counts bigint[];
    first integer := 1;
    behind integer;
    place integer;
    room boolean;
BEGIN
    INSERT INTO rate_counts (minute, key, used)
        SELECT this, wanted.key, 0
        FROM (SELECT DISTINCT unnest(keys) COLLATE "C" AS key) AS wanted
        ORDER BY wanted.key
        ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS made = ROW_COUNT;
    -- Now and then, whoever brings new keys clears the old minutes away.
    IF made > 0 AND random() < 0.01 THEN
        DELETE FROM rate_counts WHERE minute < this - 1;
    END IF;
    SELECT array_agg(held.key ORDER BY held.key), array_agg(held.used ORDER BY held.key)
        INTO names, counts
        FROM (
            SELECT key, used FROM rate_counts
            WHERE minute = this AND key = ANY (keys)
            ORDER BY key
            FOR UPDATE
        ) AS held;
    WHILE first <= cardinality(keys) LOOP
        behind := first;
        room := true;
        WHILE behind <= cardinality(keys) AND requests[behind] = requests[first] LOOP
            room := room AND counts[array_position(names, keys[behind])] < limits[behind];
            behind := behind + 1;
        END LOOP;
        FOR each IN first .. behind - 1 LOOP
            place := array_position(names, keys[each]);
            IF room THEN
                counts[place] := counts[place] + 1;
            END IF;
            request := requests[each];
            granted := room;
            used := counts[place];
            ends_at := (this + 1) * 60;
            seconds_left := (this + 1) * 60 - at;
            RETURN NEXT;
        END LOOP;
        first := behind;
    END LOOP;
    UPDATE rate_counts
        SET used = after.used
        FROM unnest(names, counts) AS after (key, used)
        WHERE rate_counts.minute = this
            AND rate_counts.key = after.key
            AND rate_counts.used <> after.used;
END
$$;

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'racun_app') THEN
        GRANT SELECT, INSERT, UPDATE, DELETE ON rate_counts TO racun_app;
    END IF;
END
$$;
