DROP TABLE "business_units";
DROP TABLE "financial_categories";
DROP TABLE "taxes";
DROP TABLE "items";
DROP TABLE "suppliers";
DROP TABLE "customers";
