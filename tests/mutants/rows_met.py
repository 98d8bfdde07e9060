"""As rows.py, for contexts that threads meet, and for what observers are
told."""

CONTEXT = "src/context/context.c"
OBSERVERS = "src/mem/observers.c"
PEER = "src/order/peer.c"
STATS = "src/stats/thread_stats.c"
COUNTER = "src/stats/counter.c"
MET = "race order beside a context that two threads meet"

ROWS = [
    ("who_waits_for_a_context_goes_on", MET,
     (CONTEXT, "	while (!context->known)\n", "	while (false)\n")),
    ("who_finds_a_context_goes_on", MET,
     (CONTEXT, "	return context ? await_known(context) :",
      "	return context ? context :")),
    ("who_meets_a_context_second_goes_on", MET,
     (CONTEXT, "	return await_known(context);\n}", "	return context;\n}")),
    ("who_has_met_one_waits_for_none", MET,
     (CONTEXT, "	joining = outer;\n", "")),
    ("who_meets_two_contexts_forgets_the_first", "test_inside.py -k third",
     (CONTEXT, "	joining = outer;\n", "	joining = false;\n")),
    ("who_meets_a_context_waits_for_itself", "test_inside.py -k comes",
     (CONTEXT, "	joining = true;\n", "")),
    ("who_ends_an_order_waits_for_itself", "test_inside.py -k comes",
     ("src/order/stream_order.c", "	if (mixing_here)", "	if (false)")),
    ("who_comes_beside_an_end_waits_for_it", "test_beside.py -k destroy",
     (PEER, "	if (!event || context->fences_over == context->fences ||\n",
      "	if (!event ||\n")),
    ("a_fence_under_an_end_counts_as_over", "test_beside.py -k spares",
     (PEER, "	if (!device_check(context->device, res))\n"
      "		atomic_store(", "	atomic_store(")),
    ("no_fence_is_ever_pending", "test_contexts.py -k visits",
     ("src/order/fence_make.c",
      "		atomic_fetch_add(&group->list[i]->fences, 1);\n", "")),
    ("nobody_asks_again_as_contexts_come", "test_cache_room.py -k asks_again",
     (OBSERVERS, "	tcaches_recompute(NULL); /* see fence_is_plain */\n", "")),
    ("a_heap_without_memory_keeps_its_pool", "unit",
     ("src/heap/swap.c", "	swap->idle_bytes += pools_swap(heap, pool);\n",
      "	if (pool)\n		swap->idle_bytes += pools_swap(heap, pool);\n")),
    ("who_syncs_waits_for_sums", "unit",
     (STATS, "	if (stats->live.left >= 0 && stats->ordered.left >= 0 &&\n"
      "	    atomic_load(&summing))\n		return;\n", "")),
    ("what_one_device_has_is_anothers", "unit",
     (STATS, "	if (own->device != device)\n		return sum;\n", "")),
    ("an_order_that_comes_back_meanwhile_stays",
     "race order returns beside a second context",
     (OBSERVERS, "	if (context_count() > 1)\n		stream_order_break();\n", "")),
    ("who_visits_beside_a_capture_waits_for_nothing",
     "test_contexts.py -k beside_a_capture",
     (PEER, "	if (res)\n		res = backing_event_wait(event);\n", "")),
    ("an_end_asks_for_its_fence_in_a_capture", "test_contexts.py -k spoils",
     (PEER, "	if (capture_block()) {\n"
      "		res = backing_event_query(context->fence);\n"
      "		capture_unblock();\n	}\n",
      "	res = backing_event_query(context->fence);\n")),
    ("a_walk_ends_with_its_first_list", "test_contexts.py -k many",
     (CONTEXT, "		walk->over = walk->count >= 0;\n",
      "		walk->over = true;\n")),
    ("a_hosts_pool_is_a_devices", "test_limits.py -k hosts_memory",
     ("src/hooks/mempools.c", "		return DEVICE_HOST;\n",
      "		return CURRENT;\n")),
    ("a_default_pool_is_where_nobody_knows", "test_limits.py -k hosts_memory",
     ("src/hooks/mempools.c", "	if (!known && foreign_device(",
      "	if (known && foreign_device(")),
    ("an_order_ends_when_both_are_there", "test_order.py -k second_context_waits",
     (CONTEXT, "		contexts_observer()->second_comes();\n", "		(void)0;\n")),
    ("an_end_that_failed_leaves_what_is_pending",
     "race trimmed block beside an end that fails",
     (OBSERVERS, "	.pends = reclaim_request,\n",
      "	.pends = (void (*)(struct device *))observers_tell,\n")),
    ("a_door_that_was_found_queues_nothing", "test_rest.py -k door",
     (OBSERVERS, "	legacy_actions_unseen();\n	stream_calls_unseen();\n",
      "	stream_calls_unseen();\n")),
    ("a_free_that_failed_leaves_slack",
     "test_direct.py -k driver_does_not_free",
     (COUNTER, "		thread_stats_sync(thread_stats_own);\n", "		;\n")),
    ("a_request_without_room_shuts_for_good",
     "test_pressure.py -k fast_path",
     (COUNTER, "	device->pressed--;\n	gate_recompute(device);\n",
      "	device->pressed--;\n")),
]
