"""As rows.py, for plug-ins."""

PLUGIN = "src/common/plugin.c"
STATE = "src/mem/state.c"
OPENED = "src/mem/plugins.c"
RUN = "src/cli/run.c"
TESTS = "test_plugins.py -k "

ROWS = [
    ("plug_ins_are_opened_under_a_lock", TESTS + "no_lock_is_held",
     (STATE, "!mem_enabled() || !mem_plugins_open()", "!mem_enabled()"),
     (STATE, "	mem_plugins_add();\n",
      "	mem_plugins_open();\n	mem_plugins_add();\n")),
    ("a_plug_ins_constructor_is_served", TESTS + "constructor_asks",
     (OPENED, "	if (opening)\n		return false;\n", "")),
    ("the_reason_of_the_loader_is_lost", TESTS + "no_shared_object",
     (OPENED, "error_of ? error_of() : NULL", "NULL")),
    ("a_pipe_is_opened", TESTS + "no_shared_object",
     (PLUGIN, "!S_ISREG(st.st_mode)", "S_ISDIR(st.st_mode)")),
    ("another_version_is_read", "unit",
     (PLUGIN, "table->version != MNM_POOL_VERSION", "false")),
    ("the_table_of_pools_runs_over", "unit",
     (PLUGIN, "	if (table->count > room)", "	if (0 && table->count > room)")),
    ("two_pools_have_a_name", "unit",
     (PLUGIN, "	if (taken < 0)\n", "	if (taken || true)\n")),
    ("a_name_may_have_any_length", "unit",
     (PLUGIN, "length <= POOL_NAME_MAX && ", "")),
    ("a_backing_may_be_any_number", "unit",
     (PLUGIN, "(unsigned int)row->backing >= BACKING_COUNT", "false")),
    ("a_plug_ins_line_may_be_two", "unit",
     (PLUGIN, "	text_plain(why, plugin->why, sizeof(plugin->why));",
      "	memcpy(plugin->why, why, sizeof(why));")),
    ("a_refused_plug_in_keeps_its_pools", "unit",
     (PLUGIN, "table && table_check(plugin) &&",
      "table && (table_check(plugin) || true) &&")),
    ("run_reads_pools_before_plug_ins", TESTS + "any_order",
     (RUN, "			plugins_use();\n", "			;\n")),
    ("run_forgets_a_file_for_the_list", TESTS + "that_are_set",
     (RUN, "		return TURN_PLUGINS;", "		return TURN_PLUGIN;")),
    ("a_function_is_looked_for_while_others_wait",
     "test_plugins.py -k loader_is_not_waited",
     ("src/preload/thread.c", "	for (int i = 0; i < FUNCTION_COUNT; i++)\n"
      "		function_find(i);\n", "")),
]
