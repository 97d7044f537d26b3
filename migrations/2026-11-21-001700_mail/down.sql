DROP TABLE "mail_tokens";
DROP TABLE "send_windows";
DROP TABLE "mails";
