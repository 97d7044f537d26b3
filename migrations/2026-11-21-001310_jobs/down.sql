DROP TABLE "log_readers";
DROP TABLE "jobs";
