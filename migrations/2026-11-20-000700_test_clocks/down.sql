DROP TABLE "test_clocks";
