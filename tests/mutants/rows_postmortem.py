"""Guards of what is written as memory runs out."""

WRITE = "src/mem/postmortem.c"
FILE = "src/mem/postmortem_file.c"
LIVE = "src/mem/postmortem_live.c"
TEXT = "src/mem/postmortem_text.c"
STACK = "src/record/own_stack.c"
HOLES = "src/heap/holes.c"
MOMENT = "src/cli/report/moment.c"

ROWS = [
    ("post_mortems_are_written_without_end", "test_postmortem.py -k eight",
     (WRITE, "	if (written < WRITTEN_MOST) {", "	if (written < UINT_MAX) {")),
    ("a_second_post_mortem_goes_on_behind_the_first",
     "test_postmortem.py -k takes_its_place",
     (WRITE, "	postmortem_text_begin();\n", "")),
    ("a_second_post_mortem_adds_to_the_first",
     "test_postmortem.py -k takes_its_place",
     (LIVE, "	memset(&living, 0, sizeof(living));", "	;")),
    ("a_second_post_mortem_has_two_stacks",
     "test_postmortem.py -k takes_its_place",
     ("src/mem/postmortem_stack.c", "	memset(&stack, 0, sizeof(stack));",
      "	;")),
    ("a_post_mortem_goes_where_others_may_enter",
     "test_postmortem.py -k others_may_enter",
     (FILE, "	if (!socket_dir_check(folder, error, sizeof(error)) &&",
      "	if (!*folder &&")),
    ("post_mortems_pile_up", "test_postmortem.py -k old_ones",
     (FILE, "	old_remove(folder);\n", "	(void)old_remove;\n")),
    ("a_limit_of_sizes_ends_the_program",
     "test_postmortem.py -k limit_of_sizes",
     (FILE, "		sigaddset(&ours, SIGXFSZ);", "		;")),
    ("a_link_of_anybody_is_replaced", "test_postmortem.py -k nothing_else",
     (FILE, "	if (!file_stat(path, &st, AT_SYMLINK_NOFOLLOW) && "
      "!S_ISREG(st.st_mode))\n		return false;\n", "")),
    ("a_library_of_ours_has_asked", "test_postmortem.py -k which_code",
     (STACK, "within && !stack->count && file >= 0 &&", "within && 0 &&")),
    ("a_runtime_has_asked", "test_postmortem.py -k which_code",
     (STACK, "code.is_runtime = eh_module_is_runtime(file->path)",
      "code.is_runtime = false")),
    ("a_post_mortem_is_a_place_to_be_cancelled",
     "test_postmortem.py -k whatever_is_held",
     (WRITE, "pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);",
      "(void)cancel;")),
    ("a_recording_lacks_what_came_before_the_end",
     "test_postmortem.py -k at_once",
     (WRITE, "	if (recorded)\n		awaited_ask();\n", "")),
    ("who_holds_what_is_as_of_the_end",
     "test_postmortem.py -k as_of_the_failure",
     (MOMENT, "event->time > reading->moment->time", "false")),
    ("another_recording_tells_who_held_what", "test_postmortem.py -k is_gone",
     (MOMENT, "	return same;", "	return same || own;")),
    ("addresses_without_pages_are_holes",
     "test_postmortem.py -k without_pages",
     (HOLES, "!pages_serve_at(region->pages, at)", "false")),
    ("half_of_the_holes_are_told", "test_postmortem.py -k many_blocks",
     (HOLES, "return look.starts < STARTS_MOST;", "return true;")),
    ("stream_ordered_memory_is_told_as_plain",
     "test_postmortem.py -k by_kind",
     (LIVE, "word & BLOCK_ORDERED", "word & BLOCK_GONE")),
    ("a_quote_ends_a_text", "test_postmortem.py -k as_they_are",
     (TEXT, "*at == '\"' || *at == '\\\\'", "*at == '\\\\'")),
]
