"""As rows.py, for the work that the end of a context waits for: other
contexts' work that is not known to be over (src/heap/context_leave.c)."""

CALLS = "src/order/calls.c"
WORK = "src/order/stream_order.c"
SYNC = "src/order/fence_sync.c"
CONTEXT = "src/context/context.c"
WAIT = "src/order/wait.c"
LEAVE = "src/heap/context_leave.c"
ENDS = "test_beside.py -k "
MET = "		context_join(context, kind == CONTEXT_CREATED);\n"
OVER = "	if (!device_check(sync->context->device, res)) {\n"
DEBT = """	if (epoch >= atomic_load(&device->safe))
		debt->unfenced = true;
	if (epoch > debt->last)
		debt->last = epoch;
"""
LEFT = "over_of(context, device) <= epoch &&\n"

ROWS = [
    ("each_threads_work_is_the_first", "unit",
     (CALLS, "		once_run(&first_once, stream_work_starts);",
      "		stream_work_starts();")),
    ("the_first_work_is_not_told", ENDS + "before_any_work",
     (CALLS, "		once_run(&first_once, stream_work_starts);", "		;")),
    ("the_first_that_is_seen_is_the_first", "unit",
     (CALLS, "	if (!unseen)\n		once_run(&first_once",
      "	once_run(&first_once")),
    ("later_entries_bring_no_work", ENDS + "nobody_sees",
     (WORK, "i < DEVICE_ALL && !opaque;", "i < DEVICE_ALL;")),
    ("a_failed_wait_is_one", ENDS + "a_failed_wait",
     (SYNC, OVER, "	device_check(sync->context->device, res);\n	{\n")),
    ("a_wait_says_nothing_beside_others", ENDS + "before_a_wait",
     (SYNC, OVER, "	if (0 && device_check(sync->context->device, res)) {\n")),
    ("a_wait_covers_what_is_freed_later", ENDS + "since_a_wait",
     (WAIT, LEFT, LEFT.replace("<=", "<"))),
    ("a_wait_covers_other_devices_memory", ENDS + "another_device",
     (WAIT, "context->device == device ? context->over : 0;",
      "context->over;")),
    ("a_new_context_may_have_work", ENDS + "before_a_context",
     (CONTEXT, MET, MET.replace("kind == CONTEXT_CREATED", "false"))),
    ("who_is_met_late_has_no_work", "test_contexts.py -k met_late",
     (CONTEXT, MET, MET.replace("kind == CONTEXT_CREATED", "true"))),
    ("what_a_new_context_finds_waits_for_nothing",
     "test_contexts.py -k other_contexts_do",
     (SYNC, "epoch_raise(&context->over, epoch_next(context->device));",
      "epoch_raise(&context->over,\n"
      "		    epoch_end(context->device, &(uint64_t){0}));")),
    ("a_wait_beside_others_makes_safe", "test_contexts.py -k other_contexts_do",
     (SYNC, "	sync.over = epoch_next(context->device);",
      "	sync.over = epoch_end(context->device, &(uint64_t){0});")),
    ("a_wait_beside_others_takes_bytes_away",
     "test_beside.py -k makes_safe_beside",
     (SYNC, """	if (sync_covers(device) &&
	    (counter_get(device, COUNTER_quarantined_bytes) ||""",
      """	if ((counter_get(device, COUNTER_quarantined_bytes) ||""")),
    ("a_fence_undoes_a_wait", ENDS + "a_wait_and_a_fence",
     (LEAVE, "fences_wait(context->device, context, debt->last)",
      "fences_wait(context->device, context, UINT64_MAX)")),
    ("a_fence_made_meanwhile_counts_for_earlier_blocks",
     "race fence beside the end of a context",
     (LEAVE, DEBT, """	if (epoch < atomic_load(&device->safe)) {
		debt->last = debt->last ? debt->last : 1;
		return;
	}
	debt->unfenced = true;
	if (epoch > debt->last)
		debt->last = epoch;
""")),
    ("a_wait_says_nothing_of_pinned_memory", ENDS + "pinned_freed",
     (SYNC, "		epoch_raise(&sync->context->over_host, sync->over_host);\n",
      "")),
    ("a_new_context_may_have_work_on_pinned_memory",
     ENDS + "pinned_freed_before_a_context",
     (SYNC, "	epoch_raise(&context->over_host, epoch_next(device_at(DEVICE_HOST)"
      "));\n", "")),
    ("a_wait_covers_pinned_memory_freed_later", ENDS + "on_pinned",
     (LEAVE, "	       (!debt.host ||", "	       (debt.host ||")),
]
