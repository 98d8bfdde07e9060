"""Guards of mnm import: files that others wrote, whatever they hold."""

PICKLE = "src/cli/import/pickle.c"
LITERALS = "src/cli/import/pickle_literals.c"
TORCH = "src/cli/import/torch.c"
RUN = "src/cli/import/import_run.c"

ROWS = [
    ("a_pickle_goes_on_behind_what_calls_code",
     "test_import.py -k such_opcode",
     (PICKLE, '		return "it would call code, which is not done";',
      "		return NULL;")),
    ("a_pickle_is_read_past_its_end", "test_import.py -k wrong_snapshot",
     (LITERALS, "	if (machine->size - machine->next < size)\n"
      "		return NULL;\n", "")),
    ("what_is_no_list_gets_items", "test_import.py -k wrong_snapshot",
     (PICKLE, "	if (machine->pickle->values[below].kind != kind)",
      "	if (0)")),
    ("what_lived_before_a_snapshot_is_lost", "test_import.py -k becomes",
     (TORCH, "	if (asked || !fresh)\n", "	if (place)\n")),
    ("a_wrong_file_replaces_a_recording", "test_import.py -k nothing_is_written",
     (RUN, "import_file(&import, &format) &&", "(import_file(&import, &format), "
      "format) &&")),
    ("what_is_read_is_written_over", "test_import.py -k written_over",
     ("src/cli/plan/replacement.c", "	if (read && is_read(path, read))",
      "	if (read && !read)")),
    ("half_a_line_is_taken", "test_import.py -k cut_off",
     ("src/trace/text_file.c",
      "	text->cut = !whole && !text->end_optional;",
      "	text->cut = false;")),
]
