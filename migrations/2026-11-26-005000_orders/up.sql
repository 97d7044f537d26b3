-- Orders of shops, and the integrations by which they come. An order of a source is kept once (source_key); a webhook
-- names its integration alone (hook).
CREATE TABLE "orders" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "order_integration_id" text COLLATE "C",
    "source" text COLLATE "C",
    "source_id" text COLLATE "C",
    "source_order_number" text COLLATE "C",
    "customer_name" text COLLATE "C",
    "customer_email" text COLLATE "C",
    "customer_id" text COLLATE "C",
    "invoice_id" text COLLATE "C",
    "estimate_id" text COLLATE "C",
    "currency_code" text COLLATE "C",
    "total" numeric,
    "total_with_tax" numeric,
    "status" text COLLATE "C",
    "payment_status" text COLLATE "C",
    "ordered_at" timestamp with time zone,
    "process_after" timestamp with time zone,
    "processed_at" timestamp with time zone,
    "metadata" jsonb,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    "deleted_at" timestamp with time zone,
    "source_key" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "orders_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "orders_order_integration_id_idx"
    ON "orders" ("order_integration_id", tenant, id);
CREATE INDEX "orders_created_at_list"
    ON "orders" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE UNIQUE INDEX "orders_source_key_key"
    ON "orders" ("source_key", tenant);
SELECT racun_fence('"orders"');

CREATE TABLE "order_integrations" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "name" text COLLATE "C",
    "source" text COLLATE "C",
    "is_active" boolean,
    "shop_domain" text COLLATE "C",
    "metadata" jsonb,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    "deleted_at" timestamp with time zone,
    "live_of" text COLLATE "C",
    "hook" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "order_integrations_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "order_integrations_created_at_list"
    ON "order_integrations" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "order_integrations_live_of_idx"
    ON "order_integrations" ("live_of", tenant, id);
CREATE UNIQUE INDEX "order_integrations_hook_key"
    ON "order_integrations" ("hook");
SELECT racun_fence('"order_integrations"');
