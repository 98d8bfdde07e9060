"""As rows.py, for plug-ins."""

PLUGIN = "src/common/plugin.c"
STATE = "src/mem/state.c"
OPENED = "src/mem/plugins.c"
RUN = "src/cli/run.c"
TESTS = "test_plugins.py -k "
PLUGGED = "test_plugged.py -k "
WATCH = "src/checked/call_watch.c"

ROWS = [
    ("functions_are_searched_for_in_what_is_done_once", "unit",
     ("src/preload/thread.c", "	for (enum function which = 0; which < "
      "FUNCTIONS; which++)\n		function_find(which);\n", "")),
    ("plug_ins_are_opened_under_a_lock", TESTS + "no_lock_is_held",
     (STATE, "mem_enabled() && mem_plugins_open();", "mem_enabled();"),
     (STATE, "	mem_plugins_add();\n",
      "	mem_plugins_open();\n	mem_plugins_add();\n")),
    ("functions_are_looked_for_under_a_lock", TESTS + "loader_is_not",
     ("src/preload/thread.c", "	functions_find();\n", "")),
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
     (RUN, "	if (!status && pools)\n		plugins_use();\n", "")),
    ("run_does_not_load_the_simulated_cuda", TESTS + "links",
     (RUN, "	if (!status && pools && run->profile)\n", "	if (0)\n")),
    ("a_pool_leaves_its_errno", "unit",
     ("src/checked/call.c", "	errno = call->error;\n", "")),
    ("the_first_request_leaves_an_errno", PLUGGED + "keeps_errno",
     (STATE, "	errno = saved;\n", "	(void)saved;\n")),
    ("two_threads_have_a_calls_record", "unit",
     ("src/checked/call.c", "	own = NULL; /* the thread", "	/* the thread")),
    ("a_thread_that_blocks_signals_is_stuck", "unit",
     ("src/checked/call.c", "call->blocks ? call_signal_let() : 0", "0")),
    ("the_mask_stays_open", "unit",
     ("src/checked/call.c", "	call_signal_stop(call->let);\n", "")),
    ("a_call_that_waits_is_not_told", "unit",
     (WATCH, "++call->waits == WAITS_MOST", "0")),
    ("the_watch_stays_when_main_leaves", PLUGGED + "last",
     (WATCH, "	atomic_store(&leaving, 1);\n", "")),
    ("the_watch_meets_a_filter", "test_resident.py -k calls_of_pools",
     (WATCH, "	if (syscall_filter_kills_socket())\n		return false;\n", "")),
    ("a_plug_in_is_asked_at_the_end", PLUGGED + "at_its_end",
     (STATE, "	if (plugged)\n", "	if (0 && plugged)\n")),
    ("a_file_that_is_cut_short_is_opened", TESTS + "cut_short",
     (PLUGIN, "	if (object_file_is_cut(plugin->file)) {", "	if (0) {")),
]
