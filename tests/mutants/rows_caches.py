"""As rows.py, for what threads keep for themselves, and for the index of
blocks."""

FENCE = "src/order/fence.c"
CAPTURE = "src/order/capture.c"
THREADS = "src/stats/thread_stats.c"
CURRENT = "src/context/context_current.c"
POOLS = "src/heap/pools.c"
FORGET = "src/heap/pools_forget.c"
WORK = "src/order/stream_order.c"
BLOCK = "src/block/block.c"
INDEX = "src/block/block_index.c"
CACHE = "src/tcache/tcache.c"
RECORDS = "src/tcache/tcache_record.c"
SPANS = "src/tcache/tcache_spans.c"
CACHED = "src/tcache/tcache_blocks.c"
RAIDS = "src/tcache/tcache_raids.c"
ROOMS = "src/tcache/tcache_rooms.c"
FAST = "src/tcache/fast.h"
HOOKS = "src/hooks/contexts.c"
MEMORY = "src/hooks/memory.c"
BINS = "src/pools/bins.c"
DEVICE = "src/stats/counter.c"
MEM = "src/mem/mem.c"

ROWS = [
    # What threads keep for themselves: who is let in.
    ("shut_is_not_looked_at", "test_cache.py",
     (CACHE, "	bool closed = cache->closed;", "	bool closed = false;")),
    ("who_is_shut_still_lends", "race a context's end beside a request",
     (CACHE, "pool && !divided ? pool->view.classes.unit : 0);",
      "cache->pool ? cache->pool->view.classes.unit : 0);")),
    ("who_is_shut_still_lends_divisions", "unit",
     (CACHE, "		pool && (recorded ||\n"
      "			 !mnm_size_classes_are_linear(&pool->view.classes))\n"
      "			? &pool->view.classes\n",
      "		cache->pool && (recorded ||\n"
      "			 !mnm_size_classes_are_linear(&cache->pool->view.classes))\n"
      "			? &cache->pool->view.classes\n")),
    ("divisions_are_not_found_in_the_cache", "test_cache.py -k warm_pair",
     (MEMORY, "	    !tcache_alloc_divided(tcache_runtime, size, &addr) &&",
      "	   "),
     (MEM, "	       tcache_alloc_divided(tcache_current, size, addr) ||",
      "	      "),
     (MEMORY, "	if (!pool && (tcache_alloc_divided(cache, size, &idle) ||",
      "	if (!pool && (false ||")),
    ("who_is_shut_still_takes", "race capture beside requests",
     (CACHE, "		pool ? atomic_load(&block_table) : "
      "&block_table_none;",
      "		cache->pool ? atomic_load(&block_table) : "
      "&block_table_none;")),
    ("a_raid_waits_for_nobody", "race free beside a raid",
     (RAIDS, "	if (any)\n		tcaches_wait();\n", "")),
    ("busy_once_it_is_open", "race request beside a raid",
     (FAST, "	tcache_enter(cache);\n	unit = atomic_load_explicit("
      "&cache->unit, memory_order_acquire);",
      "	unit = atomic_load(&cache->unit);\n	tcache_enter(cache);")),
    ("who_is_busy_is_not_waited_for",
     "race order of a stream beside a request",
     (CACHE, "			pause_for(i);", "			break;")),
    ("a_capture_shuts_nothing", "test_cache.py -k captures",
     (CACHE, "	       capture_any() || device->pressed",
      "	       device->pressed")),
    ("a_request_without_room_shuts_nothing", "race room beside a free",
     (CACHE, "device->pressed || device->pending ||", "device->pending ||"),),
    ("pending_blocks_shut_nothing", "test_cache.py -k waits_goes_back",
     (CACHE, "device->pressed || device->pending ||", "device->pressed ||")),
    ("a_lost_device_shuts_nothing", "test_cache.py -k has_failed",
     (CACHE, "	       device->lost || fence", "	       fence")),
    ("a_level_that_waits_shuts_nothing", "test_cache.py -k sync",
     (CACHE, " || fence_level() == REUSE_SYNC || tool_listens();",
      " || tool_listens();\n	(void)fence_level;")),
    ("nobody_is_told_of_a_change_of_level", "test_cache.py -k sync",
     (FENCE, "			fence_restart(device_at(i));\n"
      "	gate_recompute(NULL);", "			fence_restart(device_at(i));")),
    ("nobody_is_told_of_a_capture", "test_cache.py -k captures",
     (CAPTURE, "	if (!count++)\n		gate_recompute(NULL);\n", "	count++;\n")),
    ("nobody_is_told_to_ask", "test_cache.py -k green_context_that",
     ("src/mem/observers.c", "	tcaches_invalidate();\n	tcaches_recompute(NULL);",
      "	tcaches_recompute(NULL);")),
    ("what_is_unseen_is_not_doubted", "test_cache.py -k unseen",
     (CURRENT, "	observer->lookup_ended(context, !opaque);",
      "	observer->lookup_ended(context, true);")),
    ("other_threads_do_not_doubt", "test_cache.py -k everyones",
     (CURRENT, "	atomic_store(&opaque, true);\n"
      "	contexts_observer()->handles_changed();",
      "	atomic_store(&opaque, true);")),
    ("a_new_current_context_goes_unnoticed", "test_cache.py -k door",
     (HOOKS, "	context_invalidate();\n	if (!res && mem_enabled())\n"
      "		context_current();", "	(void)context_current;")),
    ("a_context_just_made_goes_unnoticed", "test_cache.py -k just_made",
     (HOOKS, "	context_invalidate();\n	if (!res && mem_enabled())\n"
      "		context_register(", "	if (!res && mem_enabled())\n"
      "		context_register(")),
    ("stream_order_ends_beside_requests",
     "race order of a stream beside a request",
     (WORK, "	gate_pass();\n", "	(void)gate_pass;\n")),
    ("a_child_keeps_its_caches", "test_cache.py -k child",
     ("src/mem/state.c", "		serving_child_calls(tcache_invalidate);\n", "")),
    ("a_context_that_may_end_serves_on",
     "race a context's end beside a request",
     (CACHE, " || context->dead || context->closing ||\n", " ||\n"
      "	       context->dead ||\n")),
    # What they keep, and for whom.
    ("unsafe_blocks_from_a_cache", "proof",
     (FAST, "	if (!LIKELY(block) || !LIKELY(block->epoch < safe))",
      "	(void)safe;\n	if (!LIKELY(block))")),
    ("an_inner_address_is_taken", "unit",
     (FAST, "	if (!LIKELY(!(addr & BLOCK_BITS)))\n		return false;\n",
      "")),
    ("another_pools_block_is_kept", "test_cache.py",
     (FAST, " ||\n	    !LIKELY(block->owner == owner_of(cache->pool, 0)))",
      ")")),
    ("room_is_lost_where_there_is_none", "test_cache.py",
     (FAST, "	if (!LIKELY(figure_add(&cache->stats.idle.left, -span) >= 0) ||",
      "	if (!LIKELY(cache->stats.idle.left >= (int64_t)span) ||")),
    ("a_thread_keeps_what_it_likes", "test_cache.py -k option_says",
     (ROOMS, "	if (room && cache->context->caches == 1)", "	if (true)")),
    ("a_swap_leaves_the_caches_alone", "test_cache.py -k swap",
     (POOLS, "	tcaches_flush(heap);\n	if (fresh)", "	if (fresh)")),
    ("a_trim_leaves_the_caches_alone", "test_cache.py -k trim",
     (POOLS, "	else if (least)\n		tcaches_flush(heap);\n", "")),
    ("a_context_leaves_its_blocks_in_caches",
     "test_cache.py -k destroys",
     (POOLS, "	else if (least)\n		tcaches_flush(heap);\n",
      "	else if (least && !heap->context->dead)\n		tcaches_flush(heap);\n")),
    ("pools_end_before_their_blocks",
     "race a context's end beside a foreign free and a first pool",
     (FORGET, "	pending_forget(heap, true);\n	placed_forget(heap);\n"
      "	for", "	placed_forget(heap);\n	for"),
     (FORGET, "			pool_retire(pool);\n	}\n}\n",
      "			pool_retire(pool);\n	}\n	pending_forget(heap, "
      "true);\n}\n")),
    ("a_dead_contexts_cache_is_taken_full",
     "race a context's end beside its blocks' thread, without fences",
     (CACHE, "cache->context->dead &&\n"
      "	       cache->stats.idle.left == cache->stats.idle.most &&",
      "cache->context->dead &&")),
    ("a_thread_takes_its_blocks_along", "test_cache.py -k ends_leaves",
     (CACHE, "		tcache_empty(cache);\n", "")),
    ("no_raid_for_a_large_block", "test_cache.py -k large_block",
     (RAIDS, "	else if (span >= RAID_LEAST)", "	else if (!span)")),
    ("no_raid_on_a_full_device", "test_cache.py -k full_device",
     (RAIDS, "		any |= others_move(context, cache, span, most, below);",
      "		(void)others_move;")),
    ("a_raid_leaves_what_it_takes", "test_cache.py",
     (CACHED, "	magazine_set(magazine, next);\n", "")),
    ("lists_are_kept_the_youngest_first", "unit",
     (BINS, "idle->head && list->head->epoch < idle->tail->epoch",
      "idle->head")),
    ("a_threads_peak_is_not_lifted", "test_cache.py -k peak",
     (THREADS, "	if (now > 0)\n		counter_raise(", "	if (false)\n"
      "		counter_raise(")),
    ("one_of_several_looks_seldom", "unit",
     (THREADS, "	return stats->alone &&", "	return")),
    ("one_of_two_contexts_looks_seldom", "unit",
     (THREADS, "stats->alone && stats->device->contexts <= 1;",
      "stats->alone;")),
    ("who_was_alone_goes_on_looking_seldom", "unit",
     (ROOMS, "&at->stats, count == 1);", "&at->stats, true);")),
    ("what_an_ended_thread_counted_is_lost", "unit",
     (THREADS, "	words_add(ended, stats);\n", "	(void)ended;\n")),
    ("slack_is_served_before_it_is_safe", "unit",
     (SPANS, "	if (!block || block->epoch >= atomic_load(cache->safe))\n",
      "	if (!block)\n")),
    ("the_records_of_ended_threads_are_walked", "unit",
     (RECORDS, "	record_unlink(cache);\n", "	(void)record_unlink;\n")),
    ("an_index_that_was_replaced_stays_the_caches", "test_cache.py -k has_grown",
     (CACHED, "	     (cache->closed || cache->index == block_table)))",
      "	     true))")),
    # What others take of them, and what comes back.
    ("what_others_took_is_kept_again_at_once", "unit",
     (CACHED, "		magazine_name(magazine, magazine->key | "
      "MAGAZINE_LOST);", "		(void)MAGAZINE_LOST;")),
    ("what_others_took_is_never_kept_again", "test_sharing.py",
     (CACHED, "	if (magazine->raids && !--magazine->owed) {",
      "	if (false) {")),
    ("nothing_is_left_to_who_asks_again", "unit",
     (RAIDS, "works ? magazine_keeps(magazine) : 0", "works ? 0 : 0")),
    ("who_sleeps_is_left_as_much", "unit",
     (RAIDS, "		return ++cache->idle_looks < LOOKS_IDLE;",
      "		return true;")),
    ("all_are_raided_at_once", "unit",
     (RAIDS, "		any = any || tcache_raid(at, span, below);",
      "		any |= tcache_raid(at, span, below);")),
    ("a_raid_is_never_forgotten", "unit",
     (CACHED, "			magazine->raids--;", "			(void)0;")),
    ("who_was_raided_takes_all_there_is", "unit",
     (CACHED, "	if (magazine->raids && most > magazine_keeps("
      "magazine) / 2)", "	if (false)")),
    ("who_is_alone_owes_as_before", "unit",
     (ROOMS, "			tcache_pardon(at);", "			(void)0;")),
    ("room_is_never_made", "unit",
     (CACHED, "	if (++cache->refused % REFUSED_OFTEN)\n", "	if (cache)\n")),
    ("who_gets_company_keeps_all", "unit",
     (CACHED, "	for (size_t i = cache->named; i-- && "
      "cache->stats.idle.left < 0;)", "	for (size_t i = cache->named; "
      "i-- && false;)")),
    ("who_only_takes_is_not_counted", "test_sharing.py -k comes_round",
     (MEM, "	    (!heap->keeps_blocks || tcaches_have(heap->context, taken)))",
      "	    !heap->keeps_blocks)")),
    # The free that waits.
    ("who_may_wait_keeps_all", "test_cache_room.py",
     (FENCE, "	if (fence_is_plain(device))\n		return SIZE_MAX;\n",
      "	if (limit)\n		return SIZE_MAX;\n")),
    ("room_that_shrinks_goes_unnoticed", "test_cache_room.py -k while_a_fence",
     (CACHE, "	if (less)\n		tcache_close(cache, CLOSED_ROOM);\n",
      "")),
    ("a_quarantine_that_shrinks_goes_unnoticed", "test_cache_room.py -k taken_away",
     (FENCE, "->quarantine, bytes);\n	gate_recompute(NULL);\n",
      "->quarantine, bytes);\n")),
    ("a_full_device_leaves_as_much_room", "test_cache_room.py -k short_of_memory",
     (FENCE, "	return limit / (device->oom_seen ? QUARANTINE_REST : 1) / "
      "ROOM_SHARE;", "	return limit / ROOM_SHARE;")),
    ("requests_make_room_for_frees", "test_cache_room.py -k quarantine_is_no_larger",
     (RAIDS, "	if (fence_room(heap->device) < SIZE_MAX)\n",
      "	if (false)\n")),
    ("safe_blocks_get_behind_others", "unit",
     (BINS, "	if (idle->head && list->head->epoch < "
      "idle->tail->epoch) {", "	if (idle->head && list->head->epoch < "
      "idle->head->epoch) {")),
    ("lists_are_mixed", "test_cache_room.py",
     (CACHED, "	bool is_safe = next && next->epoch < safe;",
      "	bool is_safe = next && (safe = UINT64_MAX);")),
    ("a_runtime_is_taken_to_bind_at_once", "unit",
     (CACHE, "	tcache_runtime = bound ? tcache_verified : &tcache_none;",
      "	tcache_runtime = tcache_verified;")),
    ("a_list_goes_on_behind_its_last_block", "test_cache.py",
     (FAST, "	block->next = NULL;\n	if (magazine->head)",
      "	if (magazine->head)")),
    ("what_is_reserved_passes_its_peak", "unit",
     (DEVICE, "			values[maximum] = values[i];\n", "			;\n")),
    ("a_gauge_leaves_its_maximum", "unit",
     ("src/stats/counter.h", "	if (counter_maximum(counter) != COUNTER_MAX)\n",
      "	if (false)\n")),
    ("a_sync_leaves_maxima", "unit",
     (THREADS, "	notice(stats->device, COUNTER_##counter, WORD_##word);",
      "	(void)notice;")),
    ("a_total_is_not_what_its_parts_are", "unit",
     (DEVICE, "		values[parts[i].total] += values[parts[i].part];\n",
      "		;\n")),
    # The index of blocks.
    ("who_enters_beside_a_growth_does_not_wait",
     "race request beside another context's growth",
     (INDEX, "		if (atomic_load(&growing)) { /* until it is over */\n"
      "			pthread_mutex_lock(&lock);\n"
      "			pthread_mutex_unlock(&lock);\n		}\n", "")),
    ("who_enters_alone_beside_a_growth_stays",
     "race direct request beside a growth",
     (INDEX, "		if (!atomic_load(&growing) &&\n		    atomic_load(",
      "		if (atomic_load(")),
    ("a_growth_is_said_too_late",
     "race request beside another context's growth",
     (INDEX, "		atomic_store(&growing, true);\n"
      "		table = table_grown(full);\n",
      "		table = table_grown(full);\n"
      "		atomic_store(&growing, true);\n")),
    ("a_growth_is_over_before_its_table_is_there",
     "race direct request beside a growth",
     (INDEX, "		if (table)\n			atomic_store(&block_table, table);\n"
      "		atomic_store(&growing, false);\n",
      "		atomic_store(&growing, false);\n"
      "		if (table)\n			atomic_store(&block_table, table);\n")),
    ("who_was_moved_is_not_looked_for_again", "race free beside a growth",
     (INDEX, "		last = table;\n", "		break;\n")),
    ("a_walk_takes_anothers_record", "unit",
     (BLOCK, "	while ((word & ~BLOCK_BITS) == addr && word_is_live(word))\n"
      "		if (atomic_compare_exchange_weak(&block->word, &word,\n"
      "						 word | BLOCK_IDLE))",
      "	while (word_is_live(word))\n"
      "		if (atomic_compare_exchange_weak(&block->word, &word,\n"
      "						 word | BLOCK_IDLE))")),
    ("records_that_look_alike_are_one", "unit",
     (INDEX, "		if ((*word & ~BLOCK_BITS) == addr && "
      "!(*word & BLOCK_GONE))\n			return",
      "		if (!(*word & BLOCK_GONE))\n			return")),
    ("a_stale_entry_is_a_block", "unit",
     (INDEX, "		if ((*word & ~BLOCK_BITS) == addr && "
      "!(*word & BLOCK_GONE))\n			return",
      "		if ((*word & ~BLOCK_BITS) == addr)\n			return")),
    ("a_growth_forgets_the_tail", "unit",
     (INDEX, "	     table && at < table_end(full) && !table_is_full(table); "
      "at++) {", "	     table && at < &full->entries[full->size]; at++) {")),
    ("who_has_no_place_is_not_entered", "unit",
     (INDEX, "			if (!block_index_grow(table))",
      "			if (!table_is_full(table) ||\n"
      "			    !block_index_grow(table))")),
    ("what_is_removed_stays", "unit",
     (INDEX, "	if (found == entry)\n", "	if (false)\n")),
    ("who_is_there_is_not_ousted", "unit",
     (INDEX, "	*stale = block_oust(addr, word);\n",
      "	(void)block_oust;\n")),
]
