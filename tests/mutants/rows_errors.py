"""As rows.py, for errors of the calls that mnm makes itself."""

GIVE = "src/heap/reclaim.c"
FAIL = "src/order/fence_fail.c"

PRIMARY = "src/hooks/primary.c"
CONTEXTS = "src/hooks/contexts.c"

ROWS = [
    ("a_release_without_an_answer_ends_nothing", "test_contexts.py -k may_be_gone",
     (PRIMARY, "			return active;\n	return false;",
      "			return active;\n	return true;")),
    ("a_destroy_without_an_answer_ends_nothing",
     "test_contexts.py -k may_be_gone",
     (CONTEXTS, "	return res;\n}\n\n/* sure:", "	return res == 201;\n}\n"
      "\n/* sure:")),
    ("what_was_refused_is_forgotten", "test_faults.py -k refused_to_take",
     (GIVE, "	if (backing_is_refused(res) && pending_keep", "	if (false && "
      "backing_is_refused(res) && pending_keep")),
    ("an_error_of_earlier_work_is_a_refusal",
     "test_faults.py -k not_given_twice",
     ("src/cuda/event.c", "	case CUDA_ERROR_OUT_OF_MEMORY:",
      "	case CUDA_ERROR_UNKNOWN:\n	case CUDA_ERROR_OUT_OF_MEMORY:")),
    ("what_is_refused_for_ever_is_asked_for_ever",
     "test_faults.py -k never_takes",
     (GIVE, " && !device->refused", "")),
    ("what_a_callback_was_refused_waits_for_the_next_trim",
     "test_corners.py -k refused_goes_back",
     (GIVE, "	if (device->refused && !again)\n"
      "		reclaim_request(device);", "	(void)again;")),
    ("what_is_pending_is_past_the_number", "test_idle.py -k several_contexts",
     ("src/heap/idle_limit.c",
      "	most += counter_get(device, COUNTER_pending_bytes); /* go anyway */\n",
      "")),
    ("no_memory_for_an_event_is_a_lack_of_fences", "test_fence.py -k for_now",
     ("src/cuda/event.c", "	case CUDA_ERROR_OUT_OF_MEMORY:\n", "")),
    ("what_never_passes_is_tried_by_each_request",
     "test_fence.py -k never_work",
     (FAIL, " && failures < FAILURES_MAX)", ")")),
    ("a_lack_of_fences_lasts", "test_fence.py -k some_waits_later",
     (FAIL, "	return before < WAITS_MOST ? 2 * before : WAITS_MOST;",
      "	return before;"),
     (FAIL, "		return WAITS_LEAST;\n", "		return UINT_MAX;\n")),
    ("a_lack_of_fences_is_tried_again_as_often", "test_fence.py -k never_work",
     (FAIL, "before < WAITS_MOST ? 2 * before : WAITS_MOST", "before")),
    ("a_driver_without_fences_is_asked_for_them",
     "test_cache_room.py -k taken_away",
     (FAIL, "		return UINT_MAX;\n", "		return WAITS_LEAST;\n")),
]
