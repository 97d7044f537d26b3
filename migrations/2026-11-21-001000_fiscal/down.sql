DROP TABLE "fiscal_devices";
DROP TABLE "fiscal_premises";
DROP TABLE "fiscal_settings";
