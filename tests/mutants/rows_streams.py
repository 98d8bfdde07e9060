"""As rows.py, for memory that is asked for and freed in the order of streams."""

STREAMS = "src/order/streams.c"
FAST = "src/tcache/fast_stream.h"
MEM = "src/mem/mem.c"
FREE = "src/mem/mem_free.c"
MEMPOOL = "src/heap/mempool.c"
HOOKS = "src/hooks/mempools.c"
ORDERED = "test_ordered.py -k "

ROWS = [
    ("every_stream_is_behind_every_other", ORDERED + "in_another_stream",
     (STREAMS, "		atomic_store(&behind[number][i], 0);\n",
      "		atomic_store(&behind[number][i], UINT64_MAX);\n")),
    ("a_stream_is_not_behind_itself", ORDERED + "without_a_threads_cache",
     (STREAMS, "	atomic_store(&behind[number][number], UINT64_MAX);\n", "")),
    ("the_legacy_stream_is_like_others", ORDERED + "beside_others_that_wait",
     (STREAMS, "	return key != SOLE_LEGACY || !(",
      "	return true || key != SOLE_LEGACY || !(")),
    ("the_legacy_stream_keeps_its_number", ORDERED + "before_another_waits",
     (STREAMS, "	numbers_end(is_legacy_of, context);\n", "")),
    ("pools_are_not_told_apart", ORDERED + "a_pool_of_its_own",
     (FAST, "	    !LIKELY(block->use >> USE_BITS == way->tag >> USE_BITS))\n"
      "		goto slow;\n", "	    false)\n		goto slow;\n")),
    ("a_free_says_which_pool_is_the_current_one", ORDERED + "a_pool_of_its_own",
     (FREE, "		.pool = &stream_ways, /* requests name no such pool */\n",
      "")),
    ("what_time_decides_is_reused_all_the_same", ORDERED + "policies",
     (MEM, "		.restricted = !mempool_reuses_all(order->mempool),\n",
      "")),
    ("what_was_forbidden_before_is_not_known", ORDERED + "policies",
     (MEMPOOL,
      "	backing_mempool_reuse(pool, &opportunistic, &by_waits);\n",
      "	opportunistic = by_waits = true;\n")),
    ("a_pool_that_is_shared_is_still_served", ORDERED + "may_reach",
     (HOOKS, "		if (is_shared_with(&access[i], owner) &&\n",
      "		if (false && is_shared_with(&access[i], owner) &&\n")),
    ("ordered_blocks_have_a_context", ORDERED + "attributes",
     ("src/hooks/pointer_attributes.c",
      "		*(CUcontext *)answer = NULL;\n", "		(void)answer;\n")),
    ("a_trim_leaves_what_is_idle", ORDERED + "figures",
     (HOOKS, "		reclaim_now(device, reserved - keep);\n",
      "		(void)keep;\n")),
    ("what_the_host_saw_is_not_noted", ORDERED + "policies",
     ("src/order/fence.c", "	     device->has_streams))\n",
      "	     false))\n")),
]
