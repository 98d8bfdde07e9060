"""As rows.py, for memory that is asked for and freed in the order of streams."""

STREAMS = "src/order/streams.c"
PAST = "src/order/stream_past.c"
EVENTS = "src/order/event_order.c"
RECORDS = "src/hooks/events.c"
FAST = "src/tcache/fast_stream.h"
MEM = "src/mem/mem.c"
FREE = "src/mem/mem_free.c"
MEMPOOL = "src/heap/mempool.c"
HOOKS = "src/hooks/mempools.c"
WAYS = "src/tcache/fast_stream.c"
SHARE = "src/heap/mempool_share.c"
ORDERED = "test_ordered.py -k "

ROWS = [
    ("every_stream_is_behind_every_other", ORDERED + "in_another_stream",
     (PAST, "		atomic_store(&behind[number][i], 0);\n",
      "		atomic_store(&behind[number][i], UINT64_MAX);\n")),
    ("a_stream_is_not_behind_itself", ORDERED + "without_a_threads_cache",
     ("src/pools/pool.h", "stream == request->stream ||\n", "")),
    ("the_legacy_stream_is_like_others", ORDERED + "beside_others_that_wait",
     (STREAMS, "	return key != SOLE_LEGACY || !(",
      "	return true || key != SOLE_LEGACY || !(")),
    ("the_legacy_stream_keeps_its_number", ORDERED + "before_another_waits",
     (STREAMS, "	numbers_stop(is_legacy_of, context);\n", "")),
    ("pools_are_not_told_apart", ORDERED + "in_its_stream",
     (FAST, "	    !LIKELY(block->use >> USE_BITS == way->tag >> USE_BITS))\n"
      "		goto slow;\n", "	    false)\n		goto slow;\n")),
    ("a_free_says_which_pool_is_the_current_one", ORDERED + "a_pool_of_its_own",
     (FREE, "				       .pool = &tcache_none, /* no request's */\n",
      "")),
    ("what_time_decides_is_reused_all_the_same", ORDERED + "policies",
     (MEM, "		.restricted = !mempool_reuses_all(order->mempool),\n",
      "")),
    ("what_was_forbidden_before_is_not_known", ORDERED + "policies",
     (MEMPOOL,
      "	backing_mempool_reuse(pool, allowed);\n",
      "	allowed[0] = allowed[1] = allowed[2] = true;\n")),
    ("a_small_request_takes_a_block_of_any_size",
     "test_shipped.py -k after_a_wait",
     (MEM, "pool_look(heap, request, span, true",
      "pool_look(heap, request, SIZE_MAX - span, true")),
    ("a_pool_to_decompress_into_is_cudas", ORDERED + "decompresses",
     (HOOKS, "(usage & ~CU_MEM_POOL_CREATE_USAGE_HW_DECOMPRESS)", "usage")),
    ("a_pool_for_an_unknown_use_is_served", ORDERED + "decompresses",
     (HOOKS, "!(usage & ~CU_MEM_POOL_CREATE_USAGE_HW_DECOMPRESS)",
      "usage < 0x10")),
    ("ordered_blocks_have_a_context", ORDERED + "attributes",
     ("src/hooks/pointer_attributes.c",
      "		*(CUcontext *)answer = NULL;\n", "		(void)answer;\n")),
    ("a_trim_leaves_what_is_idle", ORDERED + "figures",
     (HOOKS, "		reclaim_now(device, mempool_return(number, keep));\n",
      "		(void)keep;\n")),
    ("what_the_host_saw_is_not_noted", ORDERED + "policies",
     ("src/order/fence.c", "	     device->has_streams))\n",
      "	     false))\n")),
    # Events.
    ("a_record_stands_behind_what_is_freed_later",
     "race free in a stream beside a record",
     (PAST, "epoch_next(context->device)", "epoch_next(context->device) + 1")),
    ("a_record_does_not_stand_behind_other_streams",
     ORDERED + "take_no_fence",
     (PAST, "	for (unsigned int i = 1; i < streams_end(); i++)\n",
      "	for (unsigned int i = streams_end(); i < streams_end(); i++)\n")),
    ("the_first_record_of_an_event_counts", ORDERED + "another_stream",
     (EVENTS, "		if (!res && !event->mixed)\n",
      "		if (!res && !event->mixed && !event->past.count)\n"),
     (EVENTS, "	event->past.count = 0;\n", "")),
    ("what_was_known_stays_while_an_event_is_recorded",
     "race event recorded anew beside a wait",
     (EVENTS, "	event->past.count = 0;\n", "")),
    ("a_record_during_a_wait_is_not_noticed",
     "race wait beside an event recorded anew",
     (EVENTS, "	       wait->event->version == wait->version && !atomic_load(&opaque);\n",
      "	       !atomic_load(&opaque);\n")),
    ("two_records_at_a_time_count", "race event recorded by two threads",
     (EVENTS, "		if (!res && !event->mixed)\n", "		if (!res)\n")),
    ("an_event_that_ends_is_remembered", ORDERED + "behind_a_new_event",
     (RECORDS, """EXPORT CUresult cuEventDestroy_v2(CUevent event)
{
	event_forget(event);
""", """EXPORT CUresult cuEventDestroy_v2(CUevent event)
{
""")),
    ("a_graph_records_events_unseen", ORDERED + "by_a_node",
     (RECORDS, """					  size_t count, CUevent event)
{
	events_opaque();
""", """					  size_t count, CUevent event)
{
""")),
    ("an_added_node_records_events_unseen", ORDERED + "by_an_added_node",
     ("src/hooks/graphs.c", "		events_opaque();\n", "		;\n")),
    ("a_launch_records_events_unseen", ORDERED + "by_a_launch",
     ("src/hooks/launches.c", "			events_opaque();\n", "			;\n")),
    ("a_context_records_events_unseen", ORDERED + "by_context",
     (RECORDS, """EXPORT CUresult cuCtxRecordEvent(CUcontext context, CUevent event)
{
	events_opaque();
""", """EXPORT CUresult cuCtxRecordEvent(CUcontext context, CUevent event)
{
""")),
    ("another_process_records_events_unseen", ORDERED + "by_a_process",
     (RECORDS, """EXPORT CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event)
{
	events_opaque();
""", """EXPORT CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event)
{
""")),
    ("a_past_names_numbers_and_not_streams", ORDERED + "that_is_gone",
     (PAST, "		if (streams_serial(past->of[i].number) == past->of[i].serial)\n",
      "		if (past->of[i].serial)\n")),
    ("a_number_goes_on_at_once", "race request in a stream beside another's end",
     (STREAMS, "		 stream->ended <= safe_for_good(stream->context->device)));\n",
      "		 stream->ended));\n")),
    ("events_are_followed_all_the_same", ORDERED + "policies",
     (MEM, "mempool_follows_events(order->mempool)", "true")),
    # What goes back.
    ("a_request_waits_for_work", ORDERED + "while_memory_is_short",
     ("src/hooks/ordered.c", "	waits_forbid();\n", "")),
    ("only_blocks_of_about_the_size_do", ORDERED + "with_larger_blocks",
     (MEM, "	if (request->tag && answer == MEM_DONE && is_short(*result))\n",
      "	if (false)\n")),
    ("what_is_reserved_is_free_too", ORDERED + "free_or_reserved",
     ("src/mem/mem_info.c", "	idle = idle > pooled ? idle - pooled : 0;\n",
      "")),
    ("a_threshold_is_not_obeyed", ORDERED + "goes_back",
     ("src/heap/mempool.c", "		if (atomic_load(&mempools[i].kept_set))\n",
      "		if (false)\n")),
    ("what_the_program_waited_for_stays_the_pools", ORDERED + "claims",
     ("src/mem/waited.c",
      "		owed_add(device, mempools_return(device));\n", "")),
    ("a_wait_for_an_event_returns_nothing", ORDERED + "claims",
     (RECORDS, "	if (!res)\n		mem_waited();\n", "")),
    ("a_trim_gives_back_under_work", ORDERED + "claims",
     (HOOKS, " && !capture_any() &&\n	    device_is_idle(device))\n",
      " && !capture_any())\n")),
    ("what_a_destroyed_pool_keeps_stays_reserved", ORDERED + "claims",
     (MEMPOOL, "		mempools[number].keeps = 0;\n		mempools[number].kept_set",
      "		mempools[number].kept_set")),
    # Pools that are shared, or limited.
    ("a_shared_pool_is_not_reached", ORDERED + "not_be_reached",
     (SHARE, "	res = backing_enable_peer(peer->handle, owner->handle);\n",
      "	res = CUDA_SUCCESS;\n")),
    ("a_context_that_comes_later_reaches_nothing", ORDERED + "not_be_reached",
     ("src/mem/observers.c", "	mempool_share_joined(context);\n", "")),
    ("access_that_mnm_enabled_is_the_programs", ORDERED + "own_access",
     ("src/hooks/peer_access.c",
      "	if (owner && (!res || enabled) && peer_asked(current, owner, enabled))\n",
      "	if (false)\n")),
    ("a_program_takes_mnms_access_back", ORDERED + "own_access",
     ("src/hooks/peer_access.c",
      "	if (owner && peer_returned(current, owner, &was))\n",
      "	was = false;\n	if (false)\n")),
    ("a_pools_limit_is_not_obeyed", ORDERED + "with_a_limit",
     (MEMPOOL, "	if (!pool->limit)\n", "	if (pool)\n")),
    ("a_limit_holds_on_the_slow_path_alone", ORDERED + "with_a_limit",
     (MEM, "	    !mempool_is_limited(order->mempool)) /* the fast path asks not */\n",
      "	    true)\n")),
    # What threads remember of streams.
    ("threads_remember_streams_for_ever", ORDERED + "before_another_waits",
     ("src/tcache/tcache.c", "		all_pass(ways_clear);\n",
      "		all_pass(NULL);\n")),
    ("a_thread_remembers_what_has_changed",
     "race request in the legacy stream beside one that waits",
     (WAYS, "is_open(cache) && atomic_load(&stream_changes) == changes",
      "is_open(cache)")),
    ("what_other_streams_freed_is_ready", ORDERED + "that_is_known",
     (WAYS, "	       request_is_behind(request, number, block->epoch);\n",
      "	       (number || request);\n")),
    ("pools_are_not_told_apart_beside", ORDERED + "another_pool",
     (WAYS, "	return block && block->use >> USE_BITS == way->tag >> USE_BITS &&\n",
      "	return block &&\n")),
    ("policies_are_for_the_slow_path", ORDERED + "policies",
     (WAYS, " &&\n	    cache->way->beside)\n", ")\n")),
    ("a_policy_is_set_for_later_ways", ORDERED + "policies",
     (MEMPOOL, "	    allowed)\n		mempools_changed();\n", "	    allowed)\n		;\n")),
    ("records_that_are_not_followed_are_forgotten",
     "race record from before the first free in a stream",
     (EVENTS, "		record->unfollowed = atomic_load(&unfollowed) > 0;\n", "")),
    ("a_second_change_of_streams_goes_ahead",
     "race blocking stream made beside another",
     (STREAMS, "		pthread_mutex_lock(&change);\n", "		;\n"),
     (STREAMS, "		pthread_mutex_unlock(&change);\n", "		;\n")),
    ("a_number_goes_on_at_level_none", "race requests in streams after level none",
     (STREAMS, "	return safe == UINT64_MAX ? atomic_load(&device->over) : safe;\n",
      "	return safe;\n")),
    ("peaks_of_different_times_add_up", ORDERED + "figures_of_both",
     (HOOKS, "	REAL_CALL(cuMemPoolGetAttribute, pool, now, &current);\n",
      "	return peak + own_peak;\n")),
    ("what_no_device_has_is_made_room_for", ORDERED + "be_had",
     (MEM, "	    device_can_hold(device, request->size))\n", "	    true)\n")),
    ("the_drivers_call_makes_room_for_what_no_device_has", ORDERED + "be_had",
     ("src/mem/room.c", " || !device_can_hold(device, room->bytes))\n", ")\n")),
    ("a_plain_free_of_ordered_memory_waits", ORDERED + "waits_for_nothing",
     (FREE, "how != MEM_FREE_ASYNC && !(word & BLOCK_ORDERED);\n",
      "how != MEM_FREE_ASYNC;\n")),
]
