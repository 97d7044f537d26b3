DROP TABLE "vat_checks";
