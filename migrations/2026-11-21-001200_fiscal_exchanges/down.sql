DROP TABLE "due_exchanges";
DROP TABLE "fiscal_exchanges";
