"""Guards of `mnm plan`: what it reads, and what it writes."""

CSV = "src/cli/plan/lifetimes_csv.c"
LIFETIMES = "src/cli/plan/lifetimes.c"
REPLACEMENT = "src/cli/plan/replacement.c"
SEARCH = "src/cli/plan/search.c"
TEXT = "src/trace/text_file.c"

ROWS = [
    ("half_a_plan_in_the_old_ones_place", "test_plan.py -k full_disk",
     (REPLACEMENT, "	if (beside && !failed) {", "	if (beside) {")),
    ("half_a_plan_beside", "test_plan.py -k full_disk",
     (REPLACEMENT, "	if (beside && failed)\n", "	if (0)\n")),
    ("a_plan_that_nobody_can_write", "test_plan.py -k place_that_cannot",
     (REPLACEMENT, "	if (faccessat(AT_FDCWD, written,",
      "	if (0 && faccessat(AT_FDCWD, written,")),
    ("a_plan_of_two_with_one_id", "test_plan.py -k wrong_file",
     (CSV, "	if (*slot)\n", "	if (0)\n")),
    ("a_life_longer_than_the_period", "test_plan.py -k do_not_suit",
     (LIFETIMES, "	if (period && buffer->upper - buffer->lower > period)",
      "	if (0)")),
    ("sizes_that_overflow", "test_plan.py -k wrong_file",
     (LIFETIMES, "	return lifetimes->total > TOTAL_MOST\n", "	return 0\n")),
    ("a_line_up_to_its_nul", "test_plan.py -k wrong_file",
     (TEXT, "	else if (memchr(text->line, '\\0', length))",
      "	else if (0)")),
    ("a_signal_that_loses_the_plan", "test_plan.py -k stopped_tells",
     (SEARCH, "	stop_watch();\n	status", "	status")),
]
