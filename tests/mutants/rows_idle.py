"""As rows.py, for what bounds idle memory: src/heap/idle_limit.c and its
callers."""

BOUND = "src/heap/idle_limit.c"
FREE = "src/mem/mem_free.c"
GIVE = "src/heap/reclaim.c"
MEM = "src/mem/mem.c"
POOLS = "src/heap/pools.c"
FORGET = "src/heap/pools_forget.c"
SWAP = "src/heap/swap.c"
CACHE = "src/tcache/tcache_rooms.c"
ROOMY = "src/tcache/tcache_roomy.c"
STREAM = "src/tcache/fast_stream.c"

ROWS = [
    ("the_first_reading_looks_at_heaps", "unit",
     ("src/heap/swap.c", "	if (!any_is_used())\n		return;\n",
      "	(void)any_is_used;\n")),
    ("nothing_is_held", "unit",
     (BOUND, "	return kept > most ? kept - most : 0;", "	return 0;")),
    ("all_is_held_for_good", "unit",
     (BOUND, "((fresh && is_news(bound, view.peak, span)) ||\n"
      "		      paused <= percent(view.peak, PAUSE) ||\n"
      "		      view.all > percent(view.peak, WORTH_MOST));", "true;")),
    ("a_small_new_block_sends_back_what_is_idle", "test_idle.py -k small_new",
     (BOUND, "((fresh && is_news(bound, view.peak, span)) ||",
      "(fresh ||")),
    ("a_small_new_block_ends_a_pause", "test_idle.py -k small_new",
     (BOUND, "	if (!end)\n		return;\n", "	(void)end;\n")),
    ("a_pause_is_worth_any_memory", "unit",
     (BOUND, " ||\n		      view.all > percent(view.peak, "
      "WORTH_MOST));", ");")),
    ("what_is_shed_is_not_missed", "unit",
     (BOUND, "	more_add(&bound->places, span, 1);\n"
      "	bound->beyond += (int64_t)span;", "	;")),
    ("slack_has_no_end_in_a_bound", "unit",
     (BOUND, "	left -= lesser(left, spare_of(bound));\n", "")),
    ("a_request_is_not_part_of_the_peak", "unit",
     (BOUND, ".peak = peak_of(device, span)", ".peak = peak_of(device, 0)")),
    ("what_is_pending_is_had_twice", "unit",
     (BOUND, "(int64_t)(view.reserved - pending)",
      "(int64_t)(view.reserved + 0 * pending)")),
    ("a_bound_gives_back_in_a_request", "test_idle.py -k never_in_requests",
     (MEM, "		reclaim_shed(heap, bytes);\n",
      "		reclaim_shed(heap, bytes);\n"
      "	if (heap->pending)\n		reclaim_now(heap->device, 0);")),
    ("a_roomy_block_comes_back_unseen", "test_idle.py -k several_shapes",
     ("src/mem/look.c", "		block_mark(block, block_addr(block), BLOCK_ROOMY);\n", "")),
    ("a_larger_block_serves_before_it_is_safe", "proof",
     (ROOMY, "		if (block->epoch < safe) {", "		if (safe) {")),
    ("a_larger_block_serves_any_stream", "test_ordered.py -k larger",
     (STREAM, "		    is_ready(cache, magazine, number))\n",
      "		    (number || is_ready(cache, magazine, number)))\n")),
    ("more_is_noted_of_requests_than_there_is_room_for", "unit",
     (ROOMY, "	if (roomy->count == ROOMY_EVENTS ||\n	    cache",
      "	if (cache")),
    ("more_is_noted_of_frees_than_there_is_room_for", "unit",
     (ROOMY, "	if (cache->roomy.count == ROOMY_EVENTS)\n"
      "		tcache_settle(cache);\n", "")),
    ("a_shut_cache_still_lends_larger_blocks", "unit",
     (ROOMY, "	if (span && roomy_is_alone(cache, span))",
      "	span = span ? span : mnm_size_class_span(&cache->pool->view.classes, size);\n"
      "	if (roomy_is_alone(cache, span))")),
    ("a_larger_block_comes_back_unseen", "unit",
     (ROOMY, "		marks = BLOCK_ROOMY;\n", "")),
    ("what_was_in_a_stream_is_given_out_beside_its_address",
     "test_idle.py -k at_its_address",
     ("src/tcache/fast.h", "	*addr = block_word(block) & ~BLOCK_BITS;\n"
      "	block->use = size;", "	*addr = block_word(block) & ~BLOCK_STATE;\n"
      "	block->use = size;")),
    ("a_larger_block_is_told_of_where_it_is_not", "test_idle.py -k another_device_current",
     (ROOMY, "	if (block_pool(block)->heap->device != cache->device)\n"
      "		return; /* the slow path tells that device's bound */\n", "")),
    ("what_the_fast_path_left_is_told_of_by_nobody",
     "test_idle.py -k another_device_current",
     (FREE, "	return taken_free(block, block_word(block), MEM_FREE_DEVICE, NULL,\n",
      "	return taken_free(block, 0, MEM_FREE_DEVICE, NULL,\n")),
    ("a_threads_lease_goes_to_one_on_another_device",
     "test_idle.py -k lease_of_one_on_another",
     ("src/tcache/tcache_record.c", "	cache->roomy.until = 0; /* the lease was another device's */\n", "")),
    ("what_was_in_a_stream_is_freed_in_one", "test_idle.py -k as_any_block",
     ("src/mem/look.c", "	block_unmark(block); /* the last one may have been in another order */\n", "")),
    ("a_larger_block_serves_before_what_is_ready", "unit",
     (ROOMY, "			last = key_last(span); /* it may become safe */\n",
      "			;\n")),
    ("a_block_that_slack_serves_comes_back_unseen", "unit",
     ("src/tcache/tcache_spans.c", "	uint64_t marks = given > span ? BLOCK_ROOMY : 0;\n",
      "	uint64_t marks = 0;\n")),
    ("what_a_larger_block_left_stays_its_former_pools",
     "test_idle.py -k at_its_address",
     (ROOMY, "			mempool_leave(block);\n", "")),
    ("a_thread_that_ends_tells_nothing", "test_idle.py -k before_it_ends",
     ("src/tcache/tcache.c", "		tcache_settle(cache);\n", "")),
    ("what_slack_serves_stays_its_former_pools", "unit",
     ("src/tcache/tcache_spans.c", "	mempool_leave(block);\n", "")),
    ("a_larger_block_serves_before_what_is_ready_in_a_stream", "unit",
     (STREAM, "			last = key_last(span);\n", "			;\n")),
    ("a_larger_block_serves_a_stream_before_what_the_pool_has", "unit",
     (STREAM, "	if (known && !magazine && roomy && "
      "roomy_is_alone(cache, span))",
      "	if (known && !magazine && roomy)")),
    ("a_larger_block_comes_back_in_a_forgotten_stream", "unit",
     (STREAM, "	if (cache->way.key != key ||\n"
      "	    !block_take_at(", "	if (!block_take_at(")),
    ("a_lease_of_another_turn_holds", "unit",
     (ROOMY, "	    roomy->lease.turn != atomic_load_explicit(&device->idle_turn,\n"
      "						      memory_order_relaxed))",
      "	    false)")),
    ("what_ends_with_a_context_is_to_spare_for_good", "test_idle.py -k ended",
     (FORGET, "	if (word & BLOCK_ROOMY)\n		roomy_forget(block);\n",
      "	(void)roomy_forget;\n")),
    ("a_number_bounds_nothing", "test_idle.py -k number",
     (FREE, "	reclaim_past_limit(device);\n", "")),
    ("a_threads_cache_passes_the_number", "test_idle.py -k number",
     (CACHE, "	if (room > idle)\n		room = idle;\n",
      "	(void)idle;\n")),
    ("a_number_that_is_set_waits_for_the_next_miss",
     "test_idle.py -k set_live",
     (SWAP, "	pools_trim(heap, idle_limit_past(heap->device));\n", "")),
    ("blocks_to_spare_fill_the_device", "unit",
     ("src/heap/idle_limit.c", "lesser(percent(view->peak, SPARE), all / SPARE_OF_ALL)",
      "percent(view->peak, SPARE) + 0 * all")),
    ("a_surplus_stays", "test_idle.py -k turns",
     (GIVE, "	while (found < bytes &&\n	       (span =",
      "	while (false &&\n	       (span =")),
]
