"""Guards of what recordings have of NVTX ranges."""

TEXTS = "src/record/texts.c"
NVTX = "src/api/nvtx.c"
NAMES = "src/api/nvtx_names.c"
OPEN = "src/cli/export/open_ranges.c"

ROWS = [
    ("a_name_is_not_copied", "test_recording_ranges.py -k begin_and_end",
     (TEXTS, "	length = put(text, length, name);\n	return",
      "	if (!domain)\n		return name;\n"
      "	length = put(text, length, name);\n	return")),
    ("a_text_is_cut_off_within_a_character", "unit",
     (TEXTS, "	if (*text && (*text & 0xc0) == 0x80) {", "	if (0) {")),
    ("texts_are_not_bounded", "unit",
     (TEXTS, "atomic_fetch_add(&count, 1) >= TEXTS_MOST",
      "atomic_fetch_add(&count, 1) >= TEXTS_MOST + 9")),
    ("a_domains_pop_is_that_of_none", "test_recording_ranges.py -k begin_and",
     (NVTX, "note_end(MNM_RECORD_POP, (uintptr_t)domain)",
      "note_end(MNM_RECORD_POP, 0)")),
    ("a_tools_handle_has_no_name", "test_recording_ranges.py -k begin_and_end",
     (NAMES, "		if (there == handle)\n", "		if (0)\n")),
    ("a_pop_ends_the_range_of_another_domain",
     "test_recording_ranges.py -k in_which",
     (OPEN, "		      thread->open[at - 1].number != number))",
      "		      0))")),
    ("a_range_ends_in_its_own_thread_only",
     "test_recording_ranges.py -k chrome",
     (OPEN, "			if (!ranges->ended)\n",
      "			if (thread->thread == event->thread)\n")),
]
