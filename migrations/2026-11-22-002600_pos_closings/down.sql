DROP TABLE "pos_closings";
