DROP TABLE "files";
