DROP INDEX "subscriptions_customer_key_idx";
ALTER TABLE "subscriptions" DROP COLUMN "customer_key";
