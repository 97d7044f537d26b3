DROP TABLE "master_keys";
