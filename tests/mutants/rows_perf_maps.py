"""Guards of functions of Python in recordings."""

UNWIND = "src/record/unwind.c"
WALK = "src/record/walk.c"
MAP = "src/record/perf_map.c"
RECORDER = "src/record/recorder.c"
STACKS = "src/cli/report/stacks.c"
FRAMES = "src/cli/export/torch_frames_out.c"
TESTS = "test_recording_perf_maps.py -k "

ROWS = [
    ("a_trampoline_has_a_frame", TESTS + "functions_of_python_are",
     (WALK, "	walk->by_trampoline = step_by_code(walk);\n", "")),
    ("code_is_read_wherever_it_is", "unit",
     (WALK, "	if (walk->code_page != address / PAGE &&\n", "	if (0 &&\n")),
    ("a_guessed_frame_is_read_where_it_is", "unit",
     (WALK, "	walk->by_guess = true;\n", "")),
    ("an_interpreter_is_in_its_stacks", TESTS + "functions_of_python_are",
     (UNWIND, "			search->interpreter = walk->module;\n", "			;\n")),
    ("the_first_line_is_right", TESTS + "newest",
     (MAP, "		if (site->is_past)", "		if (site->is_past && !site->at)")),
    ("a_link_is_a_perf_map", TESTS + "users_own",
     (MAP, "O_NOFOLLOW | ", "")),
    ("any_users_file_is_a_perf_map", TESTS + "users_own",
     (MAP, "about->st_uid == geteuid()", "true")),
    ("a_map_is_read_once", TESTS + "for_long",
     (MAP, "		*anew |= !site->is_past;\n", "")),
    ("half_a_line_is_one", TESTS + "not_be_there_yet",
     (MAP, "	if (line == piece && size == PIECE) {",
      "	if (size < PIECE && line < piece + size)\n"
      "		line_read(line, piece + size, map.at + (uint64_t)(line - piece));\n"
      "	if (line == piece && size == PIECE) {")),
    ("a_second_part_lacks_names", TESTS + "both_parts",
     (RECORDER, "	perf_map_each(name_again);\n", "")),
    ("names_are_told_at_the_end", TESTS + "killed",
     (RECORDER, "	perf_map_read(own_name);\n", "")),
    ("a_report_names_an_interpreter", TESTS + "innermost",
     (STACKS, "if (symbols_given(symbols, frames[i]))", "if (0)")),
    ("a_snapshot_has_one_frame", TESTS + "export",
     (FRAMES, "	if (!count)\n		site_put", "	count = 0;\n	if (!count)\n		site_put")),
]
