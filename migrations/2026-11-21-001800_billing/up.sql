-- What entities subscribed to, what they used in months that are over, and the directory in which a
-- worker of any process finds the subscriptions of all tenants whose month or period ends. That usage is
-- never negative, that a period has a length, and what a subscription may be, is checked here as well.

CREATE TABLE "subscriptions" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "white_label" text COLLATE "C",
    "plan_slug" text COLLATE "C",
    "status" text COLLATE "C",
    "period_start" timestamp with time zone,
    "period_end" timestamp with time zone,
    "documents" numeric,
    "invoices" numeric,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "subscriptions_pkey" PRIMARY KEY (tenant, id),
    CONSTRAINT "subscriptions_status_known" CHECK (
        "status" IN ('trialing', 'active', 'past_due', 'cancelled', 'expired', 'incomplete')
    ),
    CONSTRAINT "subscriptions_period_lasts" CHECK ("period_start" < "period_end"),
    CONSTRAINT "subscriptions_usage_counted" CHECK ("invoices" >= 0 AND "documents" >= "invoices")
);
CREATE INDEX "subscriptions_created_at_list"
    ON "subscriptions" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"subscriptions"');

CREATE TABLE "usage_months" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "plan_slug" text COLLATE "C",
    "period_start" timestamp with time zone,
    "period_end" timestamp with time zone,
    "documents" numeric,
    "invoices" numeric,
    "e_invoicing_sends" numeric,
    "beyond" numeric,
    "created_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "usage_months_pkey" PRIMARY KEY (tenant, id),
    CONSTRAINT "usage_months_counted" CHECK (
        "invoices" >= 0 AND "documents" >= "invoices" AND "beyond" >= 0
    )
);
CREATE INDEX "usage_months_created_at_list"
    ON "usage_months" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"usage_months"');

CREATE TABLE "due_subscriptions" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "entity_id" text COLLATE "C",
    "due_at" timestamp with time zone,
    "created_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "due_subscriptions_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "due_subscriptions_due_at_list"
    ON "due_subscriptions" (tenant, "due_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "due_subscriptions_created_at_list"
    ON "due_subscriptions" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"due_subscriptions"');
