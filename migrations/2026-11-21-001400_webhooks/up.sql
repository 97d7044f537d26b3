-- Endpoints that events are posted to, the log of attempts to do so, and the directory in which a worker
-- of any process finds what is to be posted.

CREATE TABLE "webhook_endpoints" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "url" text COLLATE "C" NOT NULL CHECK ("url" <> ''),
    "events" text[],
    "description" text COLLATE "C",
    "active" boolean NOT NULL,
    "metadata" jsonb,
    "last_delivery_at" timestamp with time zone,
    "last_error" text COLLATE "C",
    "disabled_reason" text COLLATE "C",
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone NOT NULL,
    "owner" text COLLATE "C" NOT NULL,
    "generation" text COLLATE "C" NOT NULL CHECK ("generation" IN ('current', 'earlier')),
    "environment" text COLLATE "C" CHECK ("environment" IN ('live', 'sandbox')),
    "public_id" text COLLATE "C" NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY (tenant, id),
    CONSTRAINT "webhook_endpoints_are_disabled_or_active"
        CHECK (NOT "active" OR "disabled_reason" IS NULL)
);
CREATE INDEX "webhook_endpoints_created_at_list"
    ON "webhook_endpoints" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "webhook_endpoints_owner_idx"
    ON "webhook_endpoints" ("owner", tenant, id);
CREATE INDEX "webhook_endpoints_public_id_idx"
    ON "webhook_endpoints" ("public_id", tenant, id);
SELECT racun_fence('"webhook_endpoints"');

CREATE TABLE "webhook_deliveries" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "webhook_id" text COLLATE "C" NOT NULL,
    "event_type" text COLLATE "C" NOT NULL,
    "event_id" text COLLATE "C" NOT NULL,
    "status" text COLLATE "C" NOT NULL
        CHECK ("status" IN ('pending', 'success', 'failed', 'parked')),
    "response_status" numeric CHECK ("response_status" BETWEEN 0 AND 65535),
    "attempt" numeric NOT NULL CHECK ("attempt" > 0),
    "created_at" timestamp with time zone NOT NULL,
    "completed_at" timestamp with time zone,
    "open" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY (tenant, id),
    CONSTRAINT "webhook_deliveries_end_or_wait"
        CHECK (("completed_at" IS NULL) = ("status" IN ('pending', 'parked')))
);
CREATE INDEX "webhook_deliveries_webhook_id_idx"
    ON "webhook_deliveries" ("webhook_id", tenant, id);
CREATE INDEX "webhook_deliveries_event_id_idx"
    ON "webhook_deliveries" ("event_id", tenant, id);
CREATE INDEX "webhook_deliveries_open_idx"
    ON "webhook_deliveries" ("open", tenant, id) WHERE "open" IS NOT NULL;
CREATE INDEX "webhook_deliveries_created_at_list"
    ON "webhook_deliveries" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"webhook_deliveries"');

CREATE TABLE "due_deliveries" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "endpoint_id" text COLLATE "C" NOT NULL,
    "due_at" timestamp with time zone NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "due_deliveries_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "due_deliveries_due_at_list"
    ON "due_deliveries" (tenant, "due_at" DESC NULLS LAST, id DESC NULLS LAST);
-- What is due for an endpoint, in the order in which events came: what waits for a later attempt is passed
-- over within the index.
CREATE INDEX "due_deliveries_endpoint_id_idx"
    ON "due_deliveries"
    ("endpoint_id", tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST, "due_at");
SELECT racun_fence('"due_deliveries"');
