DROP TABLE "first_accounts";
