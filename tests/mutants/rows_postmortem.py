"""Guards of what is written as memory runs out."""

WRITE = "src/mem/postmortem.c"
FILE = "src/mem/postmortem_file.c"

ROWS = [
    ("a_second_post_mortem_replaces_the_first", "test_postmortem.py -k once",
     (WRITE, "	    atomic_exchange(&begun, true))", "	    begun)")),
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
]
