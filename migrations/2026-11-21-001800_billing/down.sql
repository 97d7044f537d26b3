DROP TABLE "due_subscriptions";
DROP TABLE "usage_months";
DROP TABLE "subscriptions";
