DROP TABLE "expenses";
DROP TABLE "payments";
