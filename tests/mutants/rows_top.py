"""As rows.py, for `mnm top`: the terminal that it takes, and what it does to
programs."""

ACTS = "src/cli/top/acts.c"
ERRAND = "src/cli/top/errand.c"
ROW = "src/cli/top/row.c"
TABLE = "src/cli/top/table.c"
TERMINAL = "src/cli/top/terminal.c"

ROWS = [
    # The terminal.
    ("top_keeps_the_terminal", "test_top.py -k left_as_it_was",
     (TERMINAL, "		endwin();\n", "		;\n")),
    ("top_is_printed_over", "test_top.py -k would_print_on_stderr",
     (TERMINAL, "		dup2(said, STDERR_FILENO);\n", "		;\n")),
    ("top_obeys_a_program", "test_top.py -k program_says_reaches",
     (ROW, "		text_plain(word, plain, sizeof(plain));\n",
      '		snprintf(plain, sizeof(plain), "%s", word ? word : "");\n'
      )),
    # Programs.
    ("top_waits_for_an_order", "test_top.py -k answered_while_an_order",
     (ERRAND, "!pthread_create(&thread, NULL, run, errand);",
      "run(errand) && (thread = pthread_self());")),
    ("top_swaps_every_device", "test_top.py -k selected_device_alone",
     (ACTS, '	if (order && strcmp(top->target.device, "-"))\n',
      "	if (0)\n")),
    ("top_loses_its_selection", "test_top.py -k selection_stays",
     (TABLE, "		if (row_is(table_row(table, i), &table->anchor)) {\n",
      "		if (0) {\n")),
]
