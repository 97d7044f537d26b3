DROP TABLE "pt_settings";
DROP TABLE "pt_forms";
DROP TABLE "pt_series";
