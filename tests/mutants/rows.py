"""The library with one guard left out, one row for each guard. scripts/mutants
builds them and runs the tests that have to notice.

A row has a name; what has to notice; and its edits, each with a file, the old
text and the new text. The old text is in its file exactly once. What has to
notice is "proof", the generated programs, maybe with "--kind KIND"; "race NAME", a race of tests/proof;
"unit", the tests of tests/unit; or tests of tests/behaviour, by
file and name."""

FENCE = "src/order/fence.c"
SYNC = "src/order/fence_sync.c"
CAPTURE = "src/order/capture.c"
HOLD = "src/heap/deferred_free.c"
HOST = "src/order/pinned_order.c"
MEM = "src/mem/mem.c"
FREES = "src/mem/mem_free.c"
POOLS = "src/heap/pools.c"
FORGET = "src/heap/pools_forget.c"
CONTEXT = "src/context/context.c"
GIVEBACK = "src/heap/reclaim.c"
REACH = "src/order/peer.c"
WAIT = "src/order/wait.c"
MAKE = "src/order/fence_make.c"
SEAL = "src/order/seal.c"
LEAVE = "src/heap/context_leave.c"
USE = "src/context/context_use.c"
WORK = "src/order/stream_order.c"
INDEX = "src/block/block_index.c"
FAST = "src/tcache/fast.h"
EVENT = "src/cuda/event.c"
DEVICE = "src/cuda/device_memory.c"
HOOKS = "src/hooks/contexts.c"
PRIMARY = "src/hooks/primary.c"
BINS = "src/pools/bins.c"
LIMIT = "src/heap/limit.c"
TAKE = "src/heap/acquire.c"
SLACK = "src/heap/slack.c"
MEMORY = "src/hooks/memory.c"
ENTRIES = "src/common/entry.awk"
REQUEST = "src/control/request.c"

RECORD = """	safe = epoch_end(device, &bytes); /* first; see epoch_end */
	res = group_order(group);
"""
STAMP = """	block->epoch = atomic_load(&device->epoch);
	device_count_free(device"""
KEPT = """	context_leave(context);
	return kept;
"""

ROWS = [
    ("what_is_to_go_back_owes_nothing", "test_contexts.py -k swapped_pools",
     ("src/heap/context_leave.c", "			debt_add(&debt, at->device, block->epoch);",
      "			;")),
    ("what_lives_again_owes_nothing", "test_contexts.py -k former_life",
     ("src/heap/context_leave.c", "(word_is_live(word) && block->epoch == MNM_EPOCH_NEVER)",
      "word_is_live(word)")),
    # Fences.
    ("no_wait_after_the_record", "proof",
     (MAKE, "	for (int i = 0; i < count * count && !res; i++)",
      "	for (int i = 0; i < 0 && !res; i++)")),
    ("record_before_the_epoch_ends", "race fence beside work and a free",
     (MAKE, RECORD, "	res = group_order(group);\n"
      "	safe = epoch_end(device, &bytes);\n")),
    ("publish_before_the_gate", "race fence beside an allocation",
     (MAKE, RECORD, "	safe = epoch_end(device, &bytes);\n"
      "	epoch_publish(device, safe);\n	res = group_order(group);\n")),
    ("stamp_after_the_push", "race free beside a request, without caches",
     (FREES, STAMP, "	device_count_free(device"),
     (FREES, KEPT, KEPT.replace("	return kept", "	block->epoch = "
                              "atomic_load(&heap->device->epoch);\n"
                              "	return kept"))),
    ("epoch_of_now_is_safe", "proof",
     ("include/mnm/pool.h", "	return epoch < request->safe ||",
      "	return epoch <= request->safe ||")),
    ("a_stream_class_left_out", "proof",
     (EVENT, "	return (int)real_driver()->cuCtxRecordEvent(context, event);",
      """	typedef CUresult record(CUevent, CUstream);
	static record *one;
	void *found = NULL;

	(void)context;
	if (!one && !real_driver()->cuGetProcAddress_v2("cuEventRecord",
			&found, 2000, 0, NULL))
		one = (record *)found;
	return one ? (int)one(event, NULL) : 999;""")),
    ("quarantine_is_never_full", "test_fence.py -k quarantine",
     (FENCE, "COUNTER_quarantined_bytes) + more >\n	       limit_now(device)",
      "COUNTER_quarantined_bytes) + more >\n	       limit_now(device) + "
      "(1ul << 50)")),
    ("level_sync_does_not_wait", "test_fence.py -k sync",
     (FENCE, "!quarantine_is_full(device, span))))\n		return;\n"
      "	device_wait(device);", "!quarantine_is_full(device, span))))\n"
      "		return;")),
    ("a_failed_wait_is_taken_for_one", "test_fence.py -k did_not_cover",
     (WAIT, "		counter_add(device, COUNTER_quarantined_bytes, bytes);"
      "\n		return false;\n", "")),
    ("none_to_fence_keeps_safe", "test_fence.py -k none",
     (FENCE, "		else\n			fence_restart(device_at(i));",
      "		else\n			(void)0;")),
    # The program's own waits.
    ("failed_sync_publishes", "test_fence.py -k failed_wait",
     (SYNC, "	if (!res && sync_covers(part->device))",
      "	if (sync_covers(part->device))")),
    ("sync_ends_its_epoch_late", "race wait beside a new context",
     (SYNC, "		epoch_over(part->device, part->safe);",
      "		epoch_over(part->device, epoch_end(part->device,\n"
      "			&(uint64_t){0}));")),
    ("sync_ignores_who_came_meanwhile", "race wait beside a new context",
     (SYNC, "	if (!res && sync_covers(part->device))", "	if (!res)")),
    # Captures and what they hold.
    ("fence_during_capture", "proof",
     (CAPTURE, "	granted = !count;", "	granted = true;"),
     (CAPTURE, "	return atomic_load(&count);",
      "	return false;")),
    ("begin_does_not_wait_for_quiet", "proof",
     (CAPTURE, "	quiet_await();\n", "	(void)quiet_await;\n")),
    ("held_blocks_are_not_held", "test_capture.py",
     (FREES, "		if (deferred_free_keep(block))\n			return true;\n"
      "		if (!placed)\n			return false;\n",
      "		if (!placed)\n			return false;\n")),
    ("hold_ends_with_the_capture", "test_capture.py",
     (HOLD, "	if (open)\n		graph_attach(graph, open);",
      "	(void)graph;")),
    ("executables_hold_nothing", "test_capture.py",
     (HOLD, "		graph_leave(former, NULL);\n	graph_attach_all_of",
      "		graph_leave(former, NULL);\n	(void)sizeof")),
    ("graph_forgets_its_first_capture", "test_capture.py",
     (HOLD, "	if (open)\n		graph_attach(graph, open);",
      "	if (graph_find(graph))\n		graph_leave(graph_find(graph), NULL);"
      "\n	if (open)\n		graph_attach(graph, open);")),
    ("capture_outlives_its_thread", "test_capture.py",
     (CAPTURE, "	captures_drop(stream, NULL);", "	(void)stream;")),
    ("an_allocation_gives_back", "test_fence.py -k gives_nothing_back",
     (MEM, "	device->used = true;", "	device->used = true;\n"
      "	reclaim_run(device);")),
    ("held_blocks_keep_their_stamp",
     "test_capture.py",
     (POOLS, "	block->epoch = atomic_load(&device->epoch);\n", "")),
    ("what_a_capture_holds_is_not_given_back", "test_capture.py",
     (HOLD, "		list = deferred_free_take(hold, device, NULL);",
      "		list = hold == open ? NULL\n"
      "				    : deferred_free_take(hold, device, NULL);")),
    ("a_capture_outlives_its_whole_context", "test_capture.py",
     (CAPTURE, "	return !context || capture->place.context == context ||\n"
      "	       (!stream && capture->place.whole == context);",
      "	return !context || capture->place.context == context;")),
    ("a_threads_streams_are_one", "test_capture.py",
     (CAPTURE, "	captures_drop(key, key == &here ? context : NULL);",
      "	captures_drop(key, NULL);")),
    ("poll_during_capture",
     "test_capture.py",
     (GIVEBACK, " ||\n	    capture_any())\n		return;\n	poll_one",
      ")\n		return;\n	poll_one")),
    ("fresh_memory_not_in_relaxed_mode",
     "test_capture.py",
     (DEVICE, "	if (capturing)\n		mode_exchange(&mode);\n"
      "	record_did_add(", "	record_did_add(")),
    # Several contexts and devices.
    ("peer_is_not_fenced", "test_fence.py -k peers_work",
     (REACH, "	atomic_fetch_or(&peer->peer_of, bit);\n", "")),
    ("second_context_not_joined", "test_order.py -k second_context_waits",
     ("src/mem/observers.c", "		fence_attach(context->device, context);",
      "		(void)fence_attach;")),
    ("two_contexts_fenced_as_one", "proof",
     (MAKE, "	int count = contexts_of(device, list, FENCE_CONTEXTS);\n"
      "	enum", "	int count = contexts_of(device, list, "
      "FENCE_CONTEXTS) > 0;\n	enum"),
     (MAKE, "	if (!res && !group_is_whole(group, device))",
      "	if (!group_is_whole(group, device) && false)")),
    ("peers_are_not_asked", "proof",
     (SEAL, "		res = marks_ask(&seal->marks);",
      "		(void)marks_ask;")),
    ("peers_that_cant_be_asked_are_waited_for_by_nobody",
     "test_visits.py -k cant_be_asked",
     (SEAL, "	ready = !fence_failed(device, res);", "	ready = !res;")),
    ("peers_are_ordered", "test_guest.py -k without_a_swap",
     (FENCE, "	return device->has_peers || device->shared;",
      "	return device->shared;"),
     (MAKE, "	int count = contexts_of(device, list, FENCE_CONTEXTS);\n"
      "	enum", "	int count = contexts_using(device, list, "
      "FENCE_CONTEXTS);\n	enum")),
    ("first_context_alone_is_waited_for", "proof",
     (WAIT, "	while ((context = context_next_using(&walk, device)))\n",
      "	if ((context = context_next_using(&walk, device)))\n")),
    ("work_of_others_unseen_at_an_end", "proof",
     (LEAVE, "	debt = debt_of(context);", "	return true;\n	debt = "
      "debt_of(context);")),
    ("what_a_fence_orders_is_over", "test_contexts.py -k has_ordered",
     (LEAVE, "	if (epoch > debt->last)",
      "	if (debt->unfenced && epoch > debt->last)")),
    ("an_old_drivers_wait_holds_up_captures", "test_beside.py -k old_driver",
     (WAIT, "		res = backing_free_wait(context->handle);\n", "		;\n")),
    ("a_fence_holds_up_captures", "test_beside.py -k full_queue",
     (CAPTURE, "	while (quiet && !late)", "	while (quiet)")),
    ("a_fence_holds_up_requests", "test_beside.py -k full_queue",
     (FENCE, "		if (i == FENCE_YIELDS ||", "		if (false ||")),
    ("a_failed_fence_of_two_streams_stands",
     "test_order.py -k last_fence_fails",
     (FENCE, "i < WAITS_MAX; i++)\n		made = device_wait",
      "i < 0; i++)\n		made = device_wait")),
    ("an_order_ends_behind_an_ending_context",
     "race order beside its context's end",
     (FENCE, "made = fence_now(device) || work_has_ended(device);",
      "made = fence_now(device);"),
     (FENCE, "static bool work_has_ended", "__attribute__((unused)) "
      "static bool work_has_ended")),
    ("an_end_that_fails_is_not_awaited", "race order beside an end that fails",
     (FENCE, "		context_await(at);\n		ended &= at->dead;\n",
      "		ended &= at->dead || at->closing;\n")),
    ("a_context_is_missed_while_it_may_end",
     "race first visit beside an end that fails",
     (CONTEXT, "		if (context->number <= last ||\n",
      "		if (context->number <= last || context->closing ||\n")),
    ("a_release_that_others_outlast_waits", "test_beside.py -k release_one",
     (PRIMARY, "	end.outlasted = call != PRIMARY_RESET && "
      "outlast_begin(primary);\n",
      "	(void)outlast_begin;\n")),
    ("an_end_that_tells_of_an_error_is_none", "test_contexts.py -k tells",
     (HOOKS, "(!res && sure) || is_gone(context->handle)", "!res && sure"),
     (HOOKS, "static bool is_gone", "__attribute__((unused)) static bool "
      "is_gone")),
    ("memory_is_exported_under_work", "test_fence.py -k exported",
     ("src/mem/exported.c", "		fence_drain(pool->heap->context);\n",
      "		;\n")),
    ("an_idle_stream_is_gated", "test_order.py -k after_a_wait",
     (WORK, "	if (order_is_over(device, atomic_load(&sole_stream)))",
      "	if (order_is_over(device, atomic_load(&sole_stream)) && !device)")),
    ("request_during_a_reset", "race a context's end beside a request",
     (USE, "	while (context->closing && !context->dead && "
      "!is_ending_here(context))\n"
      "		thread_await(&context->settled, &context->lock, NULL);\n", ""),
     (USE, "	return !context->dead && !context->closing;",
      "	return !context->dead;")),
    ("reset_does_not_wait_for_gifts", "race renewal beside an allocation",
     (USE, "	begun = !context->busy;", "	begun = true;")),
    ("who_is_just_ending_is_not_waited_for",
     "race free that waits beside a context's end",
     (WAIT, "		return CUDA_ERROR_NOT_READY;", "		return CUDA_SUCCESS;")),
    ("reach_is_not_looked_at_again", "race fence beside a first visit",
     (MAKE, "	if (!res && !group_is_whole(group, device))",
      "	if (!group_is_whole(group, device) && false)")),
    ("a_stream_of_a_part_may_do_anything", "test_beside.py -k green",
     ("src/hooks/gen_work", "known[export][0] in LOOSE else", "False else")),
    ("a_whole_contexts_stream_is_its_parts", "test_capture.py -k another_one",
     (CAPTURE, "	       (!stream && capture->place.whole == context);",
      "	       capture->place.whole == context;")),
    ("a_younger_context_is_asked", "test_pinned.py -k after_the_events",
     (HOST, "	if (context->sealed != sealed) /* younger: it has nothing to "
      "wait for */\n		return CUDA_SUCCESS;\n", "")),
    ("a_destroy_that_is_refused_ends_what_is_inside",
     "test_graph_owner.py -k refuses",
     ("src/heap/graph_owner.c", "	if (!graph_owner_find(graph))\n		take",
      "		take")),
    ("a_reset_releases", "test_beside.py -k after_a_reset",
     (PRIMARY, "	if (ended && call != PRIMARY_RESET)", "	if (ended)")),
    ("a_primary_context_leaves_undrained",
     "race primary's end beside another's",
     (PRIMARY, "	if (context && !fence_leave(context))\n"
      "		reclaim_context(context);\n", "	(void)context;\n")),
    # Pinned memory.
    ("pinned_memory_is_ordered_by_the_device", "proof",
     (HOST, "	ready = sealed && all_done(ask_one);",
      "	ready = sealed;\n	(void)ask_one;")),
    ("a_seal_is_of_the_epoch_that_it_is_asked_in", "proof",
     (HOST, "		epoch_over(host, sealed);",
      "		epoch_over(host, epoch_end(host, &(uint64_t){0}));")),
    ("one_context_is_asked_for_pinned_memory", "proof",
     (HOST, "done; context = context_next_using(&walk, NULL))",
      "done; context = NULL)")),
    ("one_context_is_waited_for_pinned_memory",
     "test_pinned.py -k wait_for_one_of_two",
     (SYNC, "		return context_count() == 1;", "		return true;")),
    ("pinned_memory_is_sealed_before_the_epoch_ends",
     "race pinned memory beside a new context",
     (HOST, "	sealed = epoch_end(host, &bytes);\n	if (all_done(seal_one)) {",
      "	bool done = all_done(seal_one);\n\n"
      "	sealed = epoch_end(host, &bytes);\n	if (done) {")),
    # One stream's order.
    ("order_ends_without_a_fence", "proof",
     (WORK, "	if (!fence_force(device))", "	if (false)")),
    ("order_ends_safe", "proof",
     (WORK, "		fence_restart(device);", "		(void)0;")),
    ("second_stream_not_noticed", "proof",
     (WORK, "	     sole == key))", "	     sole != key))")),
    ("every_threads_stream_is_one",
     "test_order.py",
     (WORK, "	if (key != SOLE_PER_THREAD &&\n", "	if (true &&\n")),
    ("order_outlives_its_stream", "test_order.py -k destroyed",
     (WORK, "&sole_stream, &key, SOLE_ENDED", "&sole_stream, &key, SOLE_NONE")),
    # Blocks, pools and swaps.
    ("swap_without_retiring",
     "test_threads.py test_pool.py test_cli.py",
     (POOLS, "		pool_retire(old);\n", "")),
    ("retired_pool_takes_back",
     "test_threads.py test_pool.py test_cli.py",
     (POOLS, "	return !pool->retired || block_is_placed(block);",
      "	return !pool->retired || block || block_is_placed(block);")),
    ("retired_pool_freed_with_live_blocks", "proof",
     (POOLS, "	if (!pool->retired || pool->view.live_count)",
      "	if (!pool->retired)")),
    ("free_leaves_the_block_in_the_table", "proof",
     (INDEX, "						 *word | BLOCK_IDLE))\n",
      "						 *word))\n"),
     (FAST, "						     word + BLOCK_IDLE));",
      "						     word));")),
    ("block_removed_after_the_drivers_free",
     "race trimmed block beside an allocation",
     (GIVEBACK, """	if (block_is_region(block) || block_remove(block)) {
		res = device_check(heap->context->device,
				   reclaim_give(heap, block));
""", """	res = device_check(heap->context->device,
			   reclaim_give(heap, block));
	if (block_is_region(block) || block_remove(block)) {
""")),
    ("what_others_give_back_is_not_waited_for",
     "race room beside what goes back",
     (GIVEBACK, "	giving_wait(device);\n	return given;",
      "	(void)giving_wait;\n	return given;")),
    ("all_goes_back_where_little_is_lacking",
     "test_pressure.py -k what_a_request_needs",
     (TAKE, "reclaim_now(device, lack)", "reclaim_now(device, SIZE_MAX)")),
    ("the_smallest_go_back", "test_pressure.py -k largest",
     (BINS, "&binned_self(pool)->bins[--place]",
      "&binned_self(pool)->bins[binned_self(pool)->count - place--]")),
    ("what_graphs_hold_goes_last", "test_pressure.py -k holds",
     (GIVEBACK, "	given = contexts_give(device, 0);", "	given = 0;")),
    ("the_soft_limit_refuses", "test_pressure.py -k soft_limit",
     (LIMIT, "limit_claim_one(device, span, pooled && given);",
      "limit_claim_one(device, span, pooled);"),
     (LIMIT, "	return claimed || limit_claim_one(device, span, false);",
      "	return claimed;")),
    ("slack_before_memory_is_short", "test_pressure.py -k spared",
     (SLACK, "	if (!device->oom_seen)\n"
      "		return idle_limit_slack(device, span);\n", "")),
    ("slack_without_end", "test_pressure.py -k bounded",
     (SLACK, "above(limit, above(reserved, used))", "limit")),
    ("slack_of_what_was_all_live", "test_pressure.py -k nothing_to_spare",
     (SLACK, "		limit = spare / SLACK_SPARE;", "		;")),
    ("slack_has_the_last_word", "test_pressure.py -k exactly",
     (MEM, "	if (slack && answer == MEM_DONE &&",
      "	if (false && answer == MEM_DONE &&")),
    ("exported_block_is_reused", "test_fence.py -k exported",
     (FREES, "	if (!context || (exported && !placed) ||", "	if (!context ||"),
     (FREES, "	if (exported)\n		return placed_stays(block);\n",
      "	if (exported && placed)\n		return placed_stays(block);\n")),
    ("keeps_while_another_lacks_room", "race room beside a free",
     (FREES, "	if (own->lost || (device->pressed && !order && !placed))",
      "	if (own->lost)")),
    ("who_waited_in_vain_keeps_the_block", "test_faults.py -k in_vain",
     (FREES, "	if (own->lost || (device->pressed && !order && !placed))",
      "	if (device->pressed)")),
    ("a_refused_free_forgets_the_block", "test_faults.py",
     (FREES, "	regained = !freed && block_regain(context, given);",
      "	(void)block_regain;\n	regained = false;")),
    ("the_loader_is_called_while_the_cache_is_busy", "test_threads.py -k loader",
     ("src/hooks/memory.c", "	real = real_runtime();\n	if (!real)",
      "	if (!real)"),
     ("src/hooks/memory.c",
      "	const struct real_runtime *real;\n	struct block *given;\n",
      "	const struct real_runtime *real = real_runtime();\n"
      "	struct block *given;\n")),
    ("a_dead_context_serves", "proof",
     (FORGET, "	context->dead = true;\n", "")),
    ("lost_device_is_ignored", "test_fence.py -k error",
     (FENCE, "	if (!backing_is_lost(res) || ",
      "	if (true || !backing_is_lost(res) || ")),
    ("a_request_passes_a_patched_entry_by", "test_patched.py",
     (MEMORY, "entry_is_patched((const void *)alloc_entry))",
      "(entry_is_patched((const void *)alloc_entry) && !size))")),
    ("a_free_passes_a_patched_entry_by", "test_patched.py",
     (MEMORY, "entry_is_patched((const void *)free_entry))",
      "entry_is_patched((const void *)free_entry) && !ptr)")),
    ("an_entry_begins_too_shortly", "test_patched.py",
     (ENTRIES, "		times = 2\n", "		times = 1\n")),
    # Orders.
    ("an_order_of_nobody", "test_operator.py -k client_has_gone",
     (REQUEST, "	if (client_gone(request->client))",
      "	if (false && client_gone(request->client))")),
    ("an_order_after_its_time", "test_operator.py -k after_its_time",
     (REQUEST, "	else if (late > 0)", "	else if (false && late > 0)")),
    ("a_request_is_nested", "test_socket.py -k bad_request",
     (REQUEST, "	if (is_flat(line))", "	if (true || is_flat(line))")),
    ("a_field_of_another_command", "test_socket.py -k bad_request",
     (REQUEST, "	if (!odd && !missing)", "	if (!missing)")),
    ("a_request_lacks_a_field", "test_socket.py -k bad_request",
     (REQUEST, "	if (!odd && !missing)", "	if (!odd)")),
    ("a_field_is_given_twice", "test_socket.py -k bad_request",
     (REQUEST, "JSON_REJECT_DUPLICATES", "0")),
    ("who_sends_no_more_is_gone", "test_operator.py -k sends_no_more",
     (REQUEST, "	struct pollfd end = {client, 0, 0};",
      "	struct pollfd end = {client, POLLIN, 0};"),
     (REQUEST, "(POLLHUP | POLLERR | POLLNVAL)",
      "(POLLHUP | POLLERR | POLLNVAL | POLLIN)")),
    ("anybody_may_steer", "test_socket.py -k another_user",
     ("src/common/socket_path.c", "	return client == process || !client;",
      "	return client == process || true;")),
]
