"""Guards of the pages of `mnm report`."""

PAGE = "src/cli/report/page.c"
SERIES = "src/cli/report/series.c"
STACK = "src/cli/report/stack.c"
MAP = "src/cli/report/peak_map.c"
ITERATIONS = "src/cli/report/iterations.c"
REPETITION = "src/cli/repetition.c"
TESTS = "test_report_html.py -k "

ROWS = [
    ("a_name_ends_the_figures", "test_report_browser.py -k hostile",
     (PAGE, "		if (text[i] == '<')", "		if (0)")),
    ("half_a_page_in_the_old_ones_place", TESTS + "full_disk",
     (PAGE, "		return replacement_end(&replacement);",
      "		return replacement_end(&replacement) || 1;")),
    ("a_line_without_its_peak", TESTS + "no_high",
     (SERIES, "	if (value > series->greatest.value)", "	if (0)")),
    ("the_most_of_a_bucket_is_lost", TESTS + "without_a_rest",
     (STACK, "	if (stack->due)\n		row_keep(",
      "	if (0)\n		row_keep(")),
    ("a_bucket_before_a_pause_stays", TESTS + "without_a_rest",
     (STACK, "	if (bucket != stack->bucket + 1)\n", "	if (0)\n")),
    ("a_row_of_addresses_is_counted_twice", TESTS + "map",
     (MAP, "		used[i] = 0;\n", "")),
    ("an_iteration_ends_before_the_next", TESTS + "marks_divide",
     (ITERATIONS, "	last->end = time;\n	last->left = live;\n",
      "	last->end = time;\n	last->left = 0;\n")),
    ("a_begin_within_an_iteration", TESTS + "what_repeats",
     (REPETITION, "finder->found->count || is_long(finder, first - "
      "finder->begun)))", "finder->found->count || true))")),
    ("what_follows_iterations_is_one", TESTS + "what_repeats",
     (REPETITION, "	if (finder->whole)\n		border_add(",
      "	if (1)\n		border_add(")),
    ("a_page_has_what_it_does_not_show", TESTS + "leave_a_page_small",
     ("src/cli/report/report_json.c", "	if (holders)\n", "	if (1)\n")),
]
