-- Numbers of fiscalized documents begin anew each year without naming it, so equal ones are no clash. What
-- no two documents share is `number_key`: the number, or the sequence and the place in it. Rows that exist
-- take their number, by a change of type: it rewrites rows of all tenants, whom no statement here names.

ALTER TABLE "invoices" ADD COLUMN "number_key" text COLLATE "C";
ALTER TABLE "invoices" ALTER COLUMN "number_key" TYPE text COLLATE "C" USING "number";
DROP INDEX "invoices_number_key";
CREATE INDEX "invoices_number_idx"
    ON "invoices" ("number", tenant, id);
CREATE UNIQUE INDEX "invoices_number_key_key"
    ON "invoices" ("number_key", tenant);

ALTER TABLE "estimates" ADD COLUMN "number_key" text COLLATE "C";
ALTER TABLE "estimates" ALTER COLUMN "number_key" TYPE text COLLATE "C" USING "number";
DROP INDEX "estimates_number_key";
CREATE INDEX "estimates_number_idx"
    ON "estimates" ("number", tenant, id);
CREATE UNIQUE INDEX "estimates_number_key_key"
    ON "estimates" ("number_key", tenant);

ALTER TABLE "credit_notes" ADD COLUMN "number_key" text COLLATE "C";
ALTER TABLE "credit_notes" ALTER COLUMN "number_key" TYPE text COLLATE "C" USING "number";
DROP INDEX "credit_notes_number_key";
CREATE INDEX "credit_notes_number_idx"
    ON "credit_notes" ("number", tenant, id);
CREATE UNIQUE INDEX "credit_notes_number_key_key"
    ON "credit_notes" ("number_key", tenant);

ALTER TABLE "advance_invoices" ADD COLUMN "number_key" text COLLATE "C";
ALTER TABLE "advance_invoices" ALTER COLUMN "number_key" TYPE text COLLATE "C" USING "number";
DROP INDEX "advance_invoices_number_key";
CREATE INDEX "advance_invoices_number_idx"
    ON "advance_invoices" ("number", tenant, id);
CREATE UNIQUE INDEX "advance_invoices_number_key_key"
    ON "advance_invoices" ("number_key", tenant);

ALTER TABLE "delivery_notes" ADD COLUMN "number_key" text COLLATE "C";
ALTER TABLE "delivery_notes" ALTER COLUMN "number_key" TYPE text COLLATE "C" USING "number";
DROP INDEX "delivery_notes_number_key";
CREATE INDEX "delivery_notes_number_idx"
    ON "delivery_notes" ("number", tenant, id);
CREATE UNIQUE INDEX "delivery_notes_number_key_key"
    ON "delivery_notes" ("number_key", tenant);
