-- By what the customer of an order is found: the e-mail address, in one way of writing. Rows that exist take
-- their keys by a change of type: it rewrites rows of all tenants, whom no statement here names.

ALTER TABLE "customers" ADD COLUMN "email_key" text COLLATE "C";
ALTER TABLE "customers" ALTER COLUMN "email_key" TYPE text COLLATE "C" USING CASE
    WHEN "deleted_at" IS NULL THEN left(nullif(
        regexp_replace(lower(btrim("email" COLLATE "default")), '[[:space:]]+', ' ', 'g'),
        ''
    ), 80)
END;
CREATE INDEX "customers_email_key_idx"
    ON "customers" ("email_key", tenant, id);
