DROP TABLE "activities";
DROP FUNCTION racun_keep_the_log();
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

