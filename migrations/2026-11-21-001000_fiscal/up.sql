-- What crate fiscal declares: an entity's settings for a tax authority with its certificate, whose private
-- key is sealed under a key that is not in the database; its business premises; the electronic devices in
-- them. A premise's name is used once for each authority, a device's once in its premise, for ever; a
-- premise that is not registered is the reservation of its name and is never open.

CREATE TABLE "fiscal_settings" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "enabled" boolean,
    "certificate_expiry" timestamp with time zone,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "fiscal_settings_pkey" PRIMARY KEY (tenant, id),
    CONSTRAINT "fiscal_settings_id_check" CHECK (id IN ('furs', 'fina'))
);
CREATE INDEX "fiscal_settings_created_at_list"
    ON "fiscal_settings" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"fiscal_settings"');

CREATE TABLE "fiscal_premises" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "authority" text COLLATE "C",
    "name" text COLLATE "C",
    "is_active" boolean,
    "environment" text COLLATE "C",
    "registered_at" timestamp with time zone,
    "closed_at" timestamp with time zone,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    "key" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "fiscal_premises_pkey" PRIMARY KEY (tenant, id),
    CONSTRAINT "fiscal_premises_authority_check" CHECK ("authority" IN ('furs', 'fina')),
    CONSTRAINT "fiscal_premises_environment_check" CHECK ("environment" IN ('live', 'sandbox')),
    CONSTRAINT "fiscal_premises_active_check"
        CHECK ("is_active" = ("registered_at" IS NOT NULL AND "closed_at" IS NULL))
);
CREATE INDEX "fiscal_premises_created_at_list"
    ON "fiscal_premises" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE UNIQUE INDEX "fiscal_premises_key_key"
    ON "fiscal_premises" ("key", tenant);
SELECT racun_fence('"fiscal_premises"');

CREATE TABLE "fiscal_devices" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "authority" text COLLATE "C",
    "premise_id" text COLLATE "C",
    "name" text COLLATE "C",
    "is_active" boolean,
    "created_at" timestamp with time zone NOT NULL,
    "updated_at" timestamp with time zone,
    "key" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "fiscal_devices_pkey" PRIMARY KEY (tenant, id),
    CONSTRAINT "fiscal_devices_authority_check" CHECK ("authority" IN ('furs', 'fina'))
);
CREATE INDEX "fiscal_devices_premise_id_idx"
    ON "fiscal_devices" ("premise_id", tenant, id);
CREATE INDEX "fiscal_devices_created_at_list"
    ON "fiscal_devices" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE UNIQUE INDEX "fiscal_devices_key_key"
    ON "fiscal_devices" ("key", tenant);
SELECT racun_fence('"fiscal_devices"');
