DROP INDEX "invoices_number_idx";
ALTER TABLE "invoices" DROP COLUMN "number_key";
CREATE UNIQUE INDEX "invoices_number_key"
    ON "invoices" ("number", tenant);
DROP INDEX "estimates_number_idx";
ALTER TABLE "estimates" DROP COLUMN "number_key";
CREATE UNIQUE INDEX "estimates_number_key"
    ON "estimates" ("number", tenant);
DROP INDEX "credit_notes_number_idx";
ALTER TABLE "credit_notes" DROP COLUMN "number_key";
CREATE UNIQUE INDEX "credit_notes_number_key"
    ON "credit_notes" ("number", tenant);
DROP INDEX "advance_invoices_number_idx";
ALTER TABLE "advance_invoices" DROP COLUMN "number_key";
CREATE UNIQUE INDEX "advance_invoices_number_key"
    ON "advance_invoices" ("number", tenant);
DROP INDEX "delivery_notes_number_idx";
ALTER TABLE "delivery_notes" DROP COLUMN "number_key";
CREATE UNIQUE INDEX "delivery_notes_number_key"
    ON "delivery_notes" ("number", tenant);
