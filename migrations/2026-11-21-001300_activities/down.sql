DROP TABLE "activities";
DROP FUNCTION racun_keep_the_log();
