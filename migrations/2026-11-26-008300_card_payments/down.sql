DROP TABLE "card_charges";
DROP TABLE "card_sessions";
DROP TABLE "payment_app_consents";
DROP TABLE "payment_apps";
