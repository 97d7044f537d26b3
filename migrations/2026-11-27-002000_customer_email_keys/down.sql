DROP INDEX "customers_email_key_idx";
ALTER TABLE "customers" DROP COLUMN "email_key";
