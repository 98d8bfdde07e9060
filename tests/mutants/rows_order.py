"""As rows.py, for the order of one stream, which ends and comes back."""

WORK = "src/order/stream_order.c"
CALLS = "src/order/calls.c"
FENCE = "src/order/fence.c"
CAPTURE = "src/order/capture.c"
HOOKS = "src/order/stream_order.h"

ROWS = [
    ("a_green_context_joins_no_fence", "test_contexts.py -k behind_the_fences",
     ("src/order/peer.c", "		if (context_uses(whole, device_at(d)))",
      "		if (false)")),
    ("an_order_returns_in_doubt", "test_return.py -k never",
     (WORK, "	return !opaque && may_try", "	return may_try"),
     (WORK, "	if (trial == device && !opaque &&", "	if (trial == device &&")),
    ("one_stream_never_seems_alone", "test_alone.py -k little",
     (WORK, "	if (atomic_load(&trial) == device)\n		return true;",
      "	if (atomic_load(&trial) == device)\n		return false;")),
    ("a_fence_that_held_up_nothing_is_paid_for", "test_alone.py -k once",
     ("src/order/fence_make.c", "	if (stream_order_seems_alone(device))",
      "	if (false)")),
    ("the_base_of_plans_spares_more_as_well", "test_recorded.py -k hardly",
     ("src/pools/tstack_pool.c", "		vmm_pool_hold(self->base);\n",
      "")),
    ("pages_move_again_and_again", "test_recorded.py -k move_less",
     ("src/pools/vmm_pool.c", "		self->spare++;\n", "		;\n")),
    ("a_refused_request_leaves_the_pointer", "test_transparency.py",
     ("src/hooks/memory.c", "	*out = res ? 0 : addr; /* as CUDA does */",
      "	if (!res)\n		*out = addr;")),
    ("each_try_learns_from_as_much", "test_tstack.py -k long_iteration",
     ("src/pools/tstack_plan.c", "		length *= 2;\n", "		;\n")),
    ("no_fence_comes_before_the_look", "test_alone.py -k best_place",
     ("src/mem/look.c", "		fence_ahead(", "		(void)(")),
    ("order_returns_at_once", "test_return.py -k short_time",
     (WORK, "requests >= trial_since + RETURN_REQUESTS",
      "requests >= trial_since")),
    ("no_order_returns", "test_return.py -k always_was",
     (WORK, "	return number && calls", "	return !number && calls")),
    ("calls_under_way_are_not_looked_for",
     "race order returns beside a call for another stream",
     (CALLS, "	return calls_sum(&sum, NULL) && barrier_all() && "
      "calls_sum(&sum, NULL);", "	return barrier_all() || calls_look(&sum);")),
    ("a_call_is_counted_after_its_look",
     "race order returns beside a call for another stream",
     (HOOKS, "	calls_enter_for(works ? key : CALLS_NO_WORK);\n", ""),
     (HOOKS, "		stream_order_first(key);\n}",
      "		stream_order_first(key);\n	calls_enter();\n}")),
    ("a_call_is_over_before_it_returns",
     "race order returns beside a call for another stream",
     (HOOKS, "	if (sole != key && sole != SOLE_MANY)\n"
      "		stream_order_first(key);\n}",
      "	if (sole != key && sole != SOLE_MANY)\n"
      "		stream_order_first(key);\n	calls_leave();\n}"),
     (HOOKS, "static inline void stream_work_end(void)\n{\n	calls_leave();\n",
      "static inline void stream_work_end(void)\n{\n")),
    ("the_order_returns_without_a_fence",
     "race order returns beside a call for another stream",
     (FENCE, "			if (!fence_failed(device, fence_try(device)) && back)",
      "			if (back || fence_failed(device, fence_try(device)))")),
    ("a_trial_outlives_a_second_stream",
     "race another stream's call beside the order's return",
     (WORK, "	if (trial == device && trials == number && "
      "may_return(device)) {",
      "	if (may_return(device)) {\n"
      "		if (!trial)\n"
      "			atomic_store(&sole_stream, SOLE_NONE);")),
    ("a_second_stream_ends_no_trial",
     "race another stream's call beside the order's return",
     (WORK, "	while (mixing)\n		thread_await(&mixed, &lock, NULL);\n",
      "	while (mixing)\n		thread_await(&mixed, &lock, NULL);\n"
      "	if (trial)\n		return;\n")),
    ("an_order_ends_without_a_fence",
     "race a stream's end beside the order's return",
     (WORK, "	if (!fence_force(device))", "	if (device_is_host(device))")),
    ("an_order_returns_under_a_capture",
     "race a capture beside the order's return",
     (CAPTURE, "	stream_order_bar(); /* no fence can be made later */\n",
      "	stream_order_break();\n	static _Atomic int point;\n	point = 1;\n"),
     (CAPTURE, "	stream_order_unbar();\n", "")),
    ("an_order_returns_beside_a_second_context",
     "race a second context beside the order's return",
     (WORK, "context_count() == 1 &&\n	       device->contexts == 1;",
      "true;")),
    ("a_stream_that_has_ended_is_nobodys",
     "race a stream's end beside the order's return",
     (WORK, "		trial = NULL;\n		order_begin(device);",
      "		atomic_compare_exchange_strong(&sole_stream,\n"
      "			&(uintptr_t){SOLE_ENDED}, SOLE_NONE);\n"
      "		trial = NULL;\n		order_begin(device);")),
]
