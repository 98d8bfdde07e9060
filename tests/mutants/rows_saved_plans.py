"""Guards of saved plans: each check of their reader, and how a pool begins with
one."""

READ = "src/plan/plan_file.c"
WRITE = "src/plan/plan_file_write.c"
BEGINNING = "src/plan/beginning.c"
LOAD = "src/pools/tstack_load.c"
PLAN = "src/pools/tstack_plan.c"
LAP = "src/pools/tstack_lap.c"
SOURCE = "src/heap/plan_source.c"
SAVE = "src/cli/plan/save.c"


def never(name, condition, file=READ):
    """A row whose check is never true."""
    return name, "unit", (file, f"	if ({condition})\n", "	if (0)\n")


ROWS = [
    # The head.
    never("any_file_is_a_plan", "size < 8 || word_at(bytes, 8) != PLAN_FILE_MAGIC"),
    never("a_plan_of_any_size", "size > PLAN_FILE_MOST"),
    never("a_head_that_is_cut_off", "size < PLAN_FILE_HEAD"),
    never("a_plan_of_any_version",
          "word_at(bytes + 8, 4) != PLAN_FILE_VERSION"),
    never("a_plan_that_is_cut_off",
          "word_at(bytes + 12, 4) > size - PLAN_FILE_HEAD"),
    never("a_plan_that_goes_on", "word_at(bytes + 12, 4) < size - PLAN_FILE_HEAD"),
    ("a_plan_with_any_checksum", "unit",
     (READ, "	if (word_at(bytes + 16, 8) !=\n", "	if (0 &&\n"
      "	    word_at(bytes + 16, 8) !=\n")),
    # Figures.
    never("figures_that_are_cut_off", "reader->failed || device > UINT32_MAX"),
    never("an_iteration_of_any_length",
          "!length || length > PLAN_FILE_REQUESTS"),
    ("an_iteration_without_requests", "unit",
     (READ, "if (!count || count > length", "if (count > length")),
    ("more_requests_than_an_iteration_has", "unit",
     (READ, "if (!count || count > length ||", "if (!count ||")),
    ("more_requests_than_bytes", "unit",
     (READ, " || count > left / REQUEST_LEAST)",
      " || count > left + PLAN_FILE_MOST)")),
    ("no_laps", "unit", (READ, "	if (!laps || laps > CYCLE_LAPS",
                         "	if (laps > CYCLE_LAPS")),
    ("any_number_of_laps", "unit",
     (READ, "	if (!laps || laps > CYCLE_LAPS ||", "	if (!laps ||")),
    ("slots_without_end", "unit",
     (READ, " || laps * count > PLAN_FILE_SLOTS)", ")")),
    never("a_least_that_is_no_request", "least >= count"),
    never("addresses_without_end", "file->plan.peak > PLAN_FILE_PEAK"),
    # Requests.
    never("a_request_after_its_iteration", "gap >= cycle->length - first"),
    never("a_request_of_any_size", "!size || size > PLAN_FILE_PEAK"),
    never("a_request_in_any_stream", "stream >= PLAN_FILE_STREAMS"),
    never("a_life_of_any_length", "life > cycle->laps * cycle->length"),
    ("an_address_of_any_size", "unit",
     (READ, "		if (offset > PLAN_FILE_PEAK)\n", "		if (0)\n")),
    never("a_plan_without_buffers", "!cycle->per_lap"),
    ("a_later_lap_is_the_first", "unit",
     (READ, "			at->lower += cycle->length;\n", "")),
    # The beginning.
    never("a_beginning_that_is_no_request", "slot > file->cycle.count"),
    ("a_beginning_after_any_requests", "unit",
     (READ, "		if (!begin->requests || begin->requests > "
      "REQUEST_MOST)\n", "		if (!begin->requests)\n")),
    ("a_beginning_before_all_requests", "unit",
     (READ, "		if (!begin->requests || begin->requests > ",
      "		if (begin->requests > ")),
    never("more_that_is_kept_than_bytes",
          "count > (size_t)(reader->end - reader->at) / KEPT_LEAST"),
    ("what_is_kept_comes_at_any_time", "unit",
     (READ, "		if (gap > REQUEST_MOST)\n", "		if (0)\n")),
    ("what_is_kept_has_any_size", "unit",
     (READ, "		if (!kept[i].size || kept[i].size > PLAN_FILE_PEAK)\n",
      "		if (0)\n")),
    ("what_follows_a_plan_is_read_over", "unit",
     (READ, "	return reader->at == reader->end ? NULL : "
      '"it is longer than it says";', "	return NULL;")),
    # What may be followed.
    never("buffers_of_a_file_overlap", "!valid"),
    never("a_peak_as_the_file_says", "peak != file->plan.peak"),
    ("a_bound_below_what_lives", "unit",
     (READ, "	if (file->plan.bound < most || ", "	if (")),
    ("a_bound_above_the_peak", "unit",
     (READ, " || file->plan.bound > peak)", ")")),
    ("a_plan_may_take_for_ever", "unit",
     ("src/plan/replay_open.c", "	return sum <= PIECES_MOST;",
      "	return sum <= UINT64_MAX;")),
    # Writing.
    ("a_size_is_written_as_less", "unit",
     (WRITE, "	if (request->size % PLAN_FILE_UNIT || stream",
      "	if (stream")),
    ("an_address_is_written_as_another", "unit",
     (WRITE, "		if (offset % PLAN_FILE_UNIT)\n", "		if (0)\n")),
    ("a_token_that_no_stream_has_is_written", "unit",
     (WRITE, " || stream == PLAN_FILE_STREAMS)", ")")),
    # Where a program begins.
    ("weights_are_taken_for_an_iteration", "unit",
     (BEGINNING, "		if (is_kept(cycle, at))\n			continue;\n", "")),
    ("an_iteration_begins_where_it_is_known", "unit",
     (BEGINNING, "	while (at--) {", "	while (0 && at--) {")),
    ("any_part_of_an_iteration_is_its_beginning", "unit",
     (BEGINNING, "		if (more >= best || ", "		if (best != UINT64_MAX || ")),
    ("a_plan_begins_where_another_program_is", "unit",
     (LOAD, "	if (sum != self->beginning.sum) {\n", "	if (0 && sum) {\n")),
    ("a_program_without_a_beginning_has_one", "unit",
     (BEGINNING, "	if (!beginning.requests || ", "	if (")),
    ("a_plan_that_comes_late_forgets_where_it_is", "unit",
     (LOAD, "		request_catch_up(self, history, i);\n", "		(void)request_catch_up;\n")),
    ("what_a_program_keeps_lies_in_a_plans_places", "unit",
     (LOAD, "	return !self->asked.known && next->request == ",
      "	return false && next->request == ")),
    ("a_plan_begins_before_its_program", "unit",
     (LAP, "	else if (!self->asked.known &&\n", "	else if (\n")),
    ("a_plan_stays_where_kept_blocks_are", "unit",
     (LAP, "	if (self->loaded && self->loaded_laps++ < FIRST_LAPS &&",
      "	if (0 &&")),
    ("a_plan_that_never_fits_stays", "unit",
     (LAP, "	return self->unseen >= VAIN_LEAST ||\n"
      "	       self->idle >= VAIN_LEAST + 2 * replay_lap(self->replay);\n",
      "	return false;\n")),
    ("a_plan_that_is_never_followed_stays", "unit",
     (LAP, "	self->idle = self->region ? 0 : self->idle + 1;\n", "")),
    ("a_plan_that_is_followed_is_made_anew", "unit",
     (PLAN, "	if (self->loaded && replay_next(self->replay) != REPLAY_NONE)\n"
      "		return;\n", "")),
    # Files.
    ("a_pipe_is_waited_for", "test_saved_plans.py -k pipe",
     (SOURCE, "	if (!S_ISREG(st->st_mode))\n", "	if (0)\n")),
    ("a_file_of_any_size_is_read", "test_saved_plans.py -k large",
     (SOURCE, "	if (st->st_size > PLAN_FILE_MOST)\n", "	if (0)\n"),
     (SOURCE, "	if (got > PLAN_FILE_MOST)\n", "	if (0)\n")),
    ("any_answer_is_saved", "test_saved_plans.py -k hostile",
     (SAVE, "	if (!plan_file_read(&answer->file, answer->bytes, "
      "answer->size))\n		return true;\n", "	return true;\n")),
]
