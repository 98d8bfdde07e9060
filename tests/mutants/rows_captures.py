"""As rows.py, for what goes back while a stream captures."""

WORK = "src/order/capture_work.c"
CALLS = "src/order/calls.c"
ORDER = "src/order/stream_order.h"
HOOKS = "src/hooks/captures.c"
ORDERED_HOOKS = "src/hooks/ordered.c"
GIVE = "src/heap/reclaim.c"
REST = "src/heap/rest.c"
OWED = "src/heap/owed.c"
ROOM_OF = "src/hooks/room_of.c"
OBSERVERS = "src/mem/observers.c"
ORDERED = "test_ordered.py -k "

ROWS = [
    ("a_request_beside_a_capture_waits_for_work",
     ORDERED + "short_beside_a_capture",
     (GIVE, "	if (waits_are_forbidden())\n",
      "	if (waits_are_forbidden() && !capture_any())\n")),
    ("beside_a_capture_nothing_goes_back", ORDERED + "beside_a_capture_of_work",
     (REST, "	if (!blocked && !waits_are_forbidden())\n",
      "	if (!blocked)\n")),
    ("a_capture_is_begun_without_marks", ORDERED + "beside_a_capture_of_work",
     (HOOKS, "		capture_work_watch();\n", "		;\n")),
    ("programs_without_such_memory_pay_for_captures",
     "test_capture.py -k do_not_end",
     (HOOKS, "	if (mempools_are_used())\n		capture_work_watch();\n",
      "	capture_work_watch();\n")),
    ("a_giver_goes_on_in_a_capture", "unit",
     (REST, "	if (!blocked && !waits_are_forbidden())\n", "	if (false)\n")),
    ("no_capture_waits_for_a_free", "unit",
     (REST, "	bool blocked = capture_block();\n", "	bool blocked = true;\n")),
    ("in_a_capture_the_giver_rests_as_well", "unit",
     (REST, "	return capture_any() && waits_are_forbidden();\n",
      "	return capture_any();\n")),
    ("what_is_owed_is_looked_for_in_a_capture", "unit",
     (OWED, "	if (capture_any())\n		return;\n", "")),
    ("all_wait_beside_a_capture_of_unknown_work", "unit",
     (REST, "	if (is_beside_captures() && !capture_work_is_known())\n",
      "	if (false)\n")),
    ("a_call_begins_while_the_marks_are_set", "unit",
     (WORK, "	return calls_watch() && calls_look(&sum) && ",
      "	return calls_look(&sum) && calls_watch() && ")),
    ("a_call_under_way_queues_nothing", "unit",
     (WORK, "calls_watch() && calls_look(&sum) && !marks_set",
      "calls_watch() && (calls_look(&sum) || true) && !marks_set")),
    ("a_second_capture_sets_marks", "unit",
     (WORK, "	if (capture_any() || atomic_exchange(&in_use, true))\n",
      "	if (atomic_exchange(&in_use, true))\n")),
    ("a_capture_that_ends_leaves_what_is_known", "unit",
     (WORK, "	atomic_store(&known, false);\n}\n", "}\n")),
    ("an_end_beside_new_marks_goes_unnoticed", "unit",
     (WORK, "	if (atomic_load(&ends) != before)\n", "	if (false)\n")),
    ("calls_are_watched_for_ever", "unit",
     (WORK, "	calls_watch_end();\n", "")),
    ("work_from_before_a_capture_is_over", "unit",
     (WORK, "	over = !marks_ask_beside(&marks) && ", "	over = ")),
    ("what_comes_beside_a_capture_is_captured", "unit",
     (WORK, "	    !backing_stream_captures((struct CUstream_st *)key))\n",
      "	    false)\n")),
    ("the_legacy_stream_is_asked_for_its_capture", "unit",
     (WORK, "key == SOLE_NONE || key == SOLE_LEGACY ||\n",
      "key == SOLE_NONE ||\n")),
    ("work_of_any_stream_is_captured", "unit",
     (WORK, "	if (key == SOLE_NONE || key == SOLE_LEGACY ||\n",
      "	if (key == SOLE_LEGACY || !key ? key :\n")),
    ("old_work_is_new_work", "unit",
     (WORK, "	atomic_store(&worked, false);\n", "")),
    ("a_call_that_waits_for_a_pause_is_work", "unit",
     (CALLS, "	calls_wait(own);\n	if (key != CALLS_NO_WORK)\n"
      "		calls_tell(key);\n", "	if (key != CALLS_NO_WORK)\n"
      "		calls_tell(key);\n	calls_wait(own);\n")),
    ("a_stream_that_joins_a_capture_has_work",
     ORDERED + "beside_a_capture_of_work",
     ("src/order/calls.h", "	calls_enter_for(CALLS_NO_WORK);\n",
      "	calls_enter_for(0);\n")),
    ("a_wait_beside_a_capture_is_no_work",
     ORDERED + "capture_and_a_wait_for_another_process",
     (CALLS, "	if (serving_is_on())\n		calls_tell(key);\n", "")),
    ("what_cuda_serves_beside_a_capture_is_work",
     ORDERED + "beside_a_capture_of_work",
     (ORDERED_HOOKS, "	stream_call_begin(request->stream, "
      "request->per_thread, false);\n", "	stream_call_begin("
      "request->stream, request->per_thread, true);\n")),
    ("what_cuda_frees_beside_a_capture_is_work",
     ORDERED + "beside_a_capture_of_work",
     ("src/hooks/ordered_free.c", "	stream_call_begin(stream, per_thread, false);\n",
      "	stream_call_begin(stream, per_thread, true);\n")),
    ("later_work_goes_unseen_in_a_capture", ORDERED + "capture_and_later_work",
     (ORDER, "works ? key : CALLS_NO_WORK", "CALLS_NO_WORK")),
    ("a_capture_in_a_stream_is_an_end", "test_room.py -k that_captures_gets",
     (ROOM_OF, "status == CU_STREAM_CAPTURE_STATUS_INVALIDATED;",
      "room->captured;")),
    ("marks_of_captures_stay_for_the_next", "unit",
     (WORK, "	marks_drop(&marks);\n", "")),
    ("the_end_of_captures_is_not_told", ORDERED + "nobody_asks_for_it",
     (OBSERVERS, "	capture_work_forget();\n", "	;\n")),
]
