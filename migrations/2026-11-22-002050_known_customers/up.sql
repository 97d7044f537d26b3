-- By what an inline customer of a document is recognised: the tax number, and name and address, both in one
-- way of writing; and by what a supplier's document that came twice is found. Rows that exist take their
-- keys by a change of type: it rewrites rows of all tenants, whom no statement here names. Where the
-- database folds a letter otherwise than the program does, the key comes right with the next change.

ALTER TABLE "customers" ADD COLUMN "tax_key" text COLLATE "C";
ALTER TABLE "customers" ADD COLUMN "name_key" text COLLATE "C";
ALTER TABLE "customers" ALTER COLUMN "tax_key" TYPE text COLLATE "C" USING CASE
    WHEN "deleted_at" IS NULL THEN left(nullif(regexp_replace(
        upper(regexp_replace("tax_number", '[[:space:]./-]', '', 'g')),
        '^(AT(?=U)|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK|XI)(?=.*[0-9]{3})',
        ''
    ), ''), 80)
END;
ALTER TABLE "customers" ALTER COLUMN "name_key" TYPE text COLLATE "C" USING CASE
    WHEN "deleted_at" IS NULL THEN
        left(regexp_replace(lower(btrim("name" COLLATE "default")), '[[:space:]]+', ' ', 'g'), 80)
        || chr(31)
        || left(regexp_replace(lower(btrim(coalesce("address", '') COLLATE "default")),
            '[[:space:]]+', ' ', 'g'), 80)
        || chr(31)
        || left(regexp_replace(lower(btrim(coalesce("post_code", '') COLLATE "default")),
            '[[:space:]]+', ' ', 'g'), 80)
END;
CREATE INDEX "customers_tax_key_idx"
    ON "customers" ("tax_key", tenant, id);
CREATE INDEX "customers_name_key_idx"
    ON "customers" ("name_key", tenant, id);
CREATE INDEX "expenses_supplier_document_number_idx"
    ON "expenses" ("supplier_document_number", tenant, id);

-- Entities are kept with their accounts. Who has no more than a link to a record of an entity finds it by
-- its own id.
ALTER TABLE "entities" ADD COLUMN "own_id" text COLLATE "C";
ALTER TABLE "entities" ALTER COLUMN "own_id" TYPE text COLLATE "C" USING "id";
CREATE INDEX "entities_own_id_idx"
    ON "entities" ("own_id", tenant, id);
