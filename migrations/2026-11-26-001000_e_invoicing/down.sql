DROP INDEX "suppliers_name_key_idx";
DROP INDEX "suppliers_tax_key_idx";
ALTER TABLE "suppliers" DROP COLUMN "name_key";
ALTER TABLE "suppliers" DROP COLUMN "tax_key";
DROP TABLE "e_invoice_submissions";
DROP TABLE "e_invoice_enrollments";
