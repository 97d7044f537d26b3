DROP TABLE "identities";
DROP TABLE "second_factors";
