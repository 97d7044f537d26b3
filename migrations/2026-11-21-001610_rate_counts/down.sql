DROP FUNCTION racun_take(bigint[], text[], bigint[]);
DROP TABLE rate_counts;
