DROP TABLE "pos_appends";
DROP TABLE "pos_tabs";
DROP TABLE "pos_tables";
