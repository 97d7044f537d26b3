ALTER TABLE "e_invoice_submissions" DROP COLUMN "provider_reference";
ALTER TABLE "e_invoice_submissions" DROP COLUMN "own_id";
