DROP TABLE "retention_rounds";
DROP TABLE "request_logs";
