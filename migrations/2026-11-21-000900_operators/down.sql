DROP TABLE "operator_tokens";
DROP TABLE "operator_pins";
