-- The role stays: other databases of the server may use it.
DROP TABLE list_counts;
DROP TABLE series;
DROP TABLE outbox;
DROP FUNCTION racun_fence(regclass);
DROP FUNCTION racun_fold(text);
