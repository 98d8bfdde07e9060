"""Guards of the stacks in recordings."""

UNWIND = "src/record/unwind.c"
RULES = "src/record/eh_frame.c"
STACKS = "src/record/stacks.c"
MET = "src/record/met_code.c"
RING = "src/record/ring.h"
READ = "src/record/read_stacks.c"
PEAKS = "src/cli/report/stacks.c"

SYMBOLS = "src/cli/report/symbols.c"
BUILD = "src/record/build_id.c"

ROWS = [
    ("another_file_names_functions", "test_recording_sites.py -k another_file",
     (SYMBOLS, "	if (!code->changed)\n		return;\n", "	if (1)\n		return;\n")),
    ("a_build_id_is_not_read", "test_recording_sites.py -k build_id",
     (BUILD, "head.n_type == NT_GNU_BUILD_ID", "0")),
    ("rules_of_all_code_are_those_of_each", "unit",
     (RULES, "		if (state->pc > pc)\n			return true;\n", "")),
    ("a_stack_begins_within_the_library", "test_recording_stacks.py -k each_is",
     (UNWIND, "return pc == search->from;", "return true;")),
    ("every_request_has_its_stack", "test_recording_stacks.py -k so_many",
     (STACKS, "	if (left > 0)\n		return site;\n", "")),
    ("a_stacks_number_is_a_place_in_the_code",
     "test_recording_stacks.py -k first_of",
     (RING, "		flags |= MNM_RECORD_STACKED;\n", "")),
    ("a_second_part_lacks_the_stacks_of_the_first",
     "test_recording_stacks.py -k both_parts",
     (MET, "			own_stack(i, 0);", "			(void)i;")),
    ("a_stack_comes_after_those_who_have_it",
     "test_recording_stacks.py -k first_of",
     (MET, "	own_flush();\n	return unknown;", "	return unknown;")),
    ("an_allocator_has_asked", "test_recording_stacks.py -k allocator",
     (PEAKS, "if (!is_allocator(names.file))", "if (1)")),
    ("any_number_is_a_stacks", "unit",
     (READ, "number < stacks->room ? stacks->at[number]",
      "stacks->room ? stacks->at[number]")),
]
