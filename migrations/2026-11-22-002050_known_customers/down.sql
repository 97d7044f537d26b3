DROP INDEX "entities_own_id_idx";
ALTER TABLE "entities" DROP COLUMN "own_id";
DROP INDEX "expenses_supplier_document_number_idx";
DROP INDEX "customers_name_key_idx";
DROP INDEX "customers_tax_key_idx";
ALTER TABLE "customers" DROP COLUMN "name_key";
ALTER TABLE "customers" DROP COLUMN "tax_key";
