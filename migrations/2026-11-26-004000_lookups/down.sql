DROP TABLE "tax_rate_estimates";
DROP TABLE "companies";
DROP TABLE "rate_days";
