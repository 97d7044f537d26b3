-- By what the card processor names who subscribes: its events tell of customers. Rows that exist take it by a change of
-- type: it rewrites rows of all tenants, whom no statement here names.
ALTER TABLE "subscriptions" ADD COLUMN "customer_key" text COLLATE "C";
ALTER TABLE "subscriptions" ALTER COLUMN "customer_key" TYPE text COLLATE "C" USING "body" ->> 'customer';
CREATE INDEX "subscriptions_customer_key_idx"
    ON "subscriptions" ("customer_key", tenant, id);
