DROP TABLE "api_keys";
DROP TABLE "invitations";
DROP TABLE "memberships";
DROP TABLE "entities";
DROP TABLE "sessions";
DROP TABLE "users";
DROP TABLE "accounts";
