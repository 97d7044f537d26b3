DROP FUNCTION racun_end_epoch(bigint, text);
DROP FUNCTION racun_write_in(bigint);
DROP TABLE lease;
