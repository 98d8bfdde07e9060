"""As rows.py, for what goes back while the program rests: src/heap/giver.c and
unused.c. scripts/check-model leaves out what a pause relies on, as on the
simulated device a free that waits harms nobody."""

GIVER = "src/heap/giver.c"
UNUSED = "src/heap/unused.c"
GIVE = "src/heap/reclaim.c"
SERVER = "src/control/commands.c"
CALLS = "src/order/calls.c"

ROWS = [
    ("a_program_at_work_rests", "test_rest.py -k waits_for_the_program",
     (GIVER, "	if (!calls_look(calls) || marks_set(&marks, NULL))\n"
      "		return false;\n", "	if (calls_look(calls))\n"
      "		return true;\n	marks_set(&marks, NULL);\n")),
    ("what_has_failed_rests", "test_faults.py -k one_owner",
     (GIVER, "any_is_lost() || ", "(0 && any_is_lost()) || ")),
    ("a_giver_that_is_being_started_stays", "unit",
     (GIVER, "	once_run(&begun, giver_never);\n", "")),
    ("a_call_waits_for_all_frees", "unit",
     (GIVER, "calls_are_awaited() || ", "(0 && calls_are_awaited()) || ")),
    ("a_change_of_contexts_waits_for_all_frees", "unit",
     (GIVER, " || contexts_awaited();", ";")),
    ("a_fork_waits_for_all_frees", "unit",
     (GIVER, "	return held || leaving", "	return leaving")),
    ("a_fork_is_made_within_a_free", "unit",
     (GIVER, "	while (giving && !late)\n", "	while (0 && giving && !late)\n")),
    ("an_exit_is_made_within_a_free", "unit",
     (GIVER, "		atexit(giver_hold);\n", "")),
    ("its_end_waits_for_all_frees", "unit",
     (GIVER, "	return held || leaving ||", "	return held ||")),
    ("one_device_is_served", "test_rest.py -k all_devices",
     (GIVER, "	for (int i = 0; i < DEVICE_ALL; i++)\n"
      "		if (device_at(i)->used)", "	for (int i = 0; i < 1; i++)\n"
      "		if (device_at(i)->used)")),
    ("private_tables_blind", "test_rest.py -k tables",
     ("src/context/context_current.c", "	atomic_store(&opaque, true);",
      "	calls_unseen();\n	atomic_store(&opaque, true);")),
    ("what_waits_goes_back_once", "test_rest.py -k trim_of",
     (GIVE, "	if (given || device->refused) /* there may be more */",
      "	if (device->refused)")),
    ("an_order_asks_nobody", "test_rest.py -k sleeping",
     (SERVER, "	giver_ask();\n", "")),
    ("unused_is_at_once", "test_rest.py -k before_its_time",
     (UNUSED, "	return now - seen[ordinal].since >= patience &&",
      "	return patience &&")),
    ("a_pause_waits_for_its_own_calls", "unit",
     (CALLS, "	if (pausing || !serving_is_on())", "	if (!serving_is_on())")),
    ("what_a_pause_calls_itself_is_no_work", "unit",
     (CALLS, "	if (pausing)\n		atomic_store(&crossed, true);\n",
      "")),
    ("each_call_waits_for_a_pause_that_failed", "unit",
     (CALLS, "	pause_end(); /* or each", "	/* or each")),
    ("a_stop_is_a_pause_that_lasts", "unit",
     (CALLS, "enum { WAITS_MAX = 10, WAIT_NS = 100000000 };",
      "enum { WAITS_MAX = 1, WAIT_NS = 999999999 };")),
    ("a_line_of_ours_is_cancelled", "unit",
     ("src/common/log.c",
      "	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);\n", "")),
    ("a_wait_of_ours_is_cancelled", "unit",
     ("src/preload/await.c", "	pthread_setcancelstate("
      "PTHREAD_CANCEL_DISABLE, &before);\n	if (until)",
      "	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);\n"
      "	if (until)")),
]
