DROP TABLE "keyed_requests";
