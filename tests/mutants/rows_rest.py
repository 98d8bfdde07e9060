"""As rows.py, for what goes back while the program rests: src/heap/giver.c and
unused.c. scripts/check-model leaves out what a pause relies on, as on the
simulated device a free that waits harms nobody."""

GIVER = "src/heap/giver.c"
REST = "src/heap/rest.c"
OWED = "src/heap/owed.c"
UNUSED = "src/heap/unused.c"
GIVE = "src/heap/reclaim.c"
SERVER = "src/control/commands.c"
CALLS = "src/order/calls.c"

ROWS = [
    ("a_program_at_work_rests", "test_rest.py -k waits_for_the_program",
     (REST, "	return look->marked && !marks_ask(&look->marks);",
      "	return look->marked;")),
    ("what_has_failed_rests", "test_faults.py -k one_owner",
     (GIVER, "any_is_lost() || ", "(0 && any_is_lost()) || ")),
    ("a_giver_that_is_being_started_stays", "unit",
     (GIVER, "	once_run(&begun, giver_never);\n", "")),
    ("a_call_waits_for_all_frees", "unit",
     (REST, "calls_are_awaited() || ", "(0 && calls_are_awaited()) || ")),
    ("a_change_of_contexts_waits_for_all_frees", "unit",
     (REST, " || contexts_awaited();", ";")),
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
     (GIVE, "	if (span || device->refused) /* there may be more */",
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
    ("two_threads_have_a_pause", "unit",
     (CALLS, "	if (atomic_exchange(&pause_taken, true))\n"
      "		return false;\n", "	atomic_store(&pause_taken, true);\n")),
    ("a_call_of_the_askers_own_is_work", "unit",
     (CALLS, "	return calls_sum(sum, calls_own);",
      "	return calls_sum(sum, NULL);")),
    ("a_call_within_ones_own_is_over", "unit",
     (CALLS, "	return calls_sum(&sum, NULL) && barrier_all() && "
      "calls_sum(&sum, NULL);", "	return calls_look(&sum) && "
      "barrier_all() && calls_look(&sum);")),
    ("what_is_owed_goes_under_work", "unit",
     (OWED, "	if (!calls_are_all_seen())", "	if (true)")),
    ("unseen_work_begins_between_two_blocks", "unit",
     (OWED, "	return device_is_idle(device) ? reclaim_one(device) : 0;",
      "	return reclaim_one(device);")),
    ("what_is_owed_goes_after_a_call_of_ones_own", "unit",
     (OWED, "	if (calls_have_come() ||", "	if (")),
    ("a_request_gives_up_for_a_call", "unit",
     (OWED, "clock_now() - began > OWN_NS", "true")),
    ("a_request_waits_each_time", "unit",
     (OWED, "		  !atomic_load(&device->waited_in_vain) &&",
      "		  true &&")),
    ("a_call_waits_again_and_again", "unit",
     (OWED, "		  !(patience_spent && waits_are_forbidden());",
      "		  true;")),
    ("a_request_that_waits_presses", "unit",
     (OWED, "	bool pressed = device->pressed > 0, begun;",
      "	bool pressed = false, begun;")),
    ("a_soft_limit_makes_requests_wait", "unit",
     (OWED, "	size_t given = give_at_rest(device, bytes, REST_NOW);\n\n"
      "	if (!given)", "	size_t given = give_at_rest(device, bytes, "
      "REST_PATIENT);\n\n	if (!given)")),
    ("work_of_other_devices_counts", "test_ordered.py -k beside_another_device",
     (REST, "	bool all = !device || device_is_host(device);",
      "	bool all = device || true;")),
    ("other_threads_never_rest", "test_ordered.py -k beside_a_server",
     (OWED, "		begun = rest_force(device);", "		begun = false;")),
    ("rests_without_barriers_come", "test_ordered.py -k without_barriers",
     (CALLS, "	return !atomic_load(&unseen) && barrier_is_open();",
      "	return !atomic_load(&unseen);")),
    ("a_request_does_not_wait", "unit",
     (OWED, "patient ? REST_PATIENT : REST_NOW", "REST_NOW")),
    ("a_request_waits_for_more_than_there_is", "unit",
     (OWED, "	patient = (bytes <= idle || bytes == SIZE_MAX) &&",
      "	patient =")),
    ("what_could_not_go_is_forgotten", "unit",
     (OWED, "	if (left && idle)", "	if (false)")),
    ("a_wait_makes_no_request_patient", "test_ordered.py -k request_beside",
     ("src/mem/waited.c",
      "		atomic_store(&device->waited_in_vain, false);\n", "")),
]
