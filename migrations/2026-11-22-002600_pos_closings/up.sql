-- Closings of days at the point of sale: the report as it was, with the cash that was counted. A place (the
-- entity, a premise, a device) closes a day once, which the unique key sees to; by the key of the place its
-- last closing is found.

CREATE TABLE "pos_closings" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "number" numeric,
    "date" date,
    "business_premise_name" text COLLATE "C",
    "electronic_device_name" text COLLATE "C",
    "opening_cash" numeric,
    "expected_cash" numeric,
    "counted_cash" numeric,
    "difference" numeric,
    "note" text COLLATE "C",
    "closed_by_user_id" text COLLATE "C",
    "closed_by" text COLLATE "C",
    "created_at" timestamp with time zone NOT NULL,
    "day_key" text COLLATE "C",
    "place_key" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "pos_closings_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "pos_closings_date_list"
    ON "pos_closings" (tenant, "date" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "pos_closings_created_at_list"
    ON "pos_closings" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE UNIQUE INDEX "pos_closings_day_key_key"
    ON "pos_closings" ("day_key", tenant);
CREATE INDEX "pos_closings_place_key_idx"
    ON "pos_closings" ("place_key", tenant, id);
SELECT racun_fence('"pos_closings"');
