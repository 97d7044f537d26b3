DROP TABLE "order_integrations";
DROP TABLE "orders";
