DROP TABLE "mail_tokens";
DROP TABLE "send_windows";
DROP TABLE "due_mails";
DROP TABLE "mails";
