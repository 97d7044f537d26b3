-- E-mail: mails with what became of them, how often something was sent, and digests of tokens that were
-- mailed.

CREATE TABLE "mails" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    "kind" text COLLATE "C",
    "state" text COLLATE "C",
    "sent_at" timestamp with time zone,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "mails_pkey" PRIMARY KEY (tenant, id),
    CONSTRAINT "mails_state_check" CHECK ("state" IN ('queued', 'sent', 'failed'))
);
CREATE INDEX "mails_created_at_list"
    ON "mails" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"mails"');

CREATE TABLE "send_windows" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "send_windows_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "send_windows_created_at_list"
    ON "send_windows" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
SELECT racun_fence('"send_windows"');

CREATE TABLE "mail_tokens" (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    "created_at" timestamp with time zone NOT NULL,
    "user_id" text COLLATE "C",
    "digest" text COLLATE "C",
    search text NOT NULL,
    body jsonb NOT NULL,
    CONSTRAINT "mail_tokens_pkey" PRIMARY KEY (tenant, id)
);
CREATE INDEX "mail_tokens_created_at_list"
    ON "mail_tokens" (tenant, "created_at" DESC NULLS LAST, id DESC NULLS LAST);
CREATE INDEX "mail_tokens_user_id_idx"
    ON "mail_tokens" ("user_id", tenant, id);
CREATE UNIQUE INDEX "mail_tokens_digest_key"
    ON "mail_tokens" ("digest");
SELECT racun_fence('"mail_tokens"');
