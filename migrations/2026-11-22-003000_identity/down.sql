DROP TABLE "login_guards";
DROP INDEX "api_keys_created_by_idx";
ALTER TABLE "api_keys" DROP COLUMN "created_by";
DROP INDEX "invitations_email_idx";
ALTER TABLE "invitations" DROP COLUMN "email";
