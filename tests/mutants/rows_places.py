"""As rows.py, for pools that place blocks in regions, and for pages that
move."""

EXTENTS = "src/pools/extents.c"
PLACING = "src/pools/placing.c"
VMM = "src/pools/vmm_pool.c"
GROW = "src/heap/grow_pages.c"
PLACED = "src/heap/placed.c"
DRIVER = "src/heap/region_driver.c"
HOLD = "src/heap/deferred_free.c"
RECLAIM = "src/heap/reclaim.c"
FORGET = "src/heap/pools_forget.c"
FREES = "src/mem/mem_free.c"
LOOK = "src/mem/look.c"
FREE_ASYNC = "src/hooks/ordered_free.c"
FRESH = "src/heap/fresh.c"
HOLDER = "src/hooks/holder.c"
MEM = "src/mem/mem.c"
REGION = "src/heap/region.c"
PAGES = "src/heap/pages.c"
WHOLE_GROW = "src/heap/grow.c"
CORNERS = "test_region_frees.py -k "
SWAPS = "test_region_swaps.py -k "
REGIONS = "test_regions.py -k "
ORDERED = "test_ordered.py -k "

ROWS = [
    # What may be joined, and used.
    ("extents_join_whatever_was_freed_when", "unit",
     (EXTENTS, " && left->state == right->state", "")),
    ("extents_join_of_any_streams", "unit",
     (EXTENTS, "(left->state == EXTENT_SETTLED || left->stream == "
      "right->stream)", "true")),
    ("extents_join_across_regions", "unit",
     (EXTENTS, "left->region == right->region &&", "")),
    ("an_extent_is_as_old_as_its_oldest_part", "unit",
     (EXTENTS, "other->epoch > extent->epoch", "other->epoch < extent->epoch")),
    ("what_is_not_ready_hides_what_is", "unit",
     (PLACING, "extents_fit_of(extents, state, request->span)",
      "extents_fit(extents, request->span)"),
     (PLACING, "extents_larger_of(extents, state, at)",
      "extents_larger(extents, at)")),
    ("memory_that_came_for_a_request_is_not_found", "unit",
     (PLACING, "		at = fresh_one(extents, request);\n",
      "		at = 0 ? fresh_one(extents, request) : NULL;\n")),
    ("a_careful_request_unsettles_for_all", "unit",
     (PLACING, "extents->settled != UINT64_MAX", "false")),
    ("what_was_joined_stays_settled", "unit",
     (PLACING, "extents->settled != UINT64_MAX", "true")),
    ("what_is_not_ready_is_placed", "proof",
     (PLACING, "		    mnm_request_is_behind(request, at->stream, "
      "at->epoch))", "		    true)")),
    ("pages_that_move_forget_their_age", "proof",
     (GROW, "		if (parts[i].epoch > to->epoch)\n"
      "			to->epoch = parts[i].epoch;\n", "")),
    ("what_a_moved_page_serves_is_fresh", CORNERS + "moved_page_serves",
     (LOOK, "block->epoch == MNM_EPOCH_NEVER ? how", "true ? how")),
    ("a_region_outlives_its_pool",
     "race first request beside the end of vmm_pool",
     (GROW, "pool->heap->context->dead || pool->retired",
      "pool->heap->context->dead")),
    ("a_trim_of_cudas_pool_leaves_regions", "test_regions_ordered.py -k trim",
     ("src/heap/mempool.c", "!pool_ops_at(device->choice)->place", "true")),
    # What goes back.
    ("pages_go_back_under_running_work", CORNERS + "only_after_the_work",
     (DRIVER, "	if (!work_is_over(heap->device, record->epoch))\n"
      "		return CUDA_ERROR_NOT_READY;\n", "")),
    ("a_growing_region_may_end", "proof",
     (GROW, "	growth->region->pages->eyes++;\n", ""),
     (GROW, "	region_unlook(growth->region);\n", "")),
    ("a_region_ends_before_its_record",
     "test_region_swaps.py -k ends_once",
     (PLACED, "	pages->eyes++;\n", "")),
    ("a_held_block_takes_its_region_along", CORNERS + "never_takes",
     (HOLD, "	if (block_is_placed(block))", "	if (false)")),
    ("what_lies_beside_live_blocks_owes_no_wait",
     CORNERS + "leaves_none",
     (RECLAIM, "	if (!context->dead)\n		backing", "	if (false)\n		"
      "backing")),
    ("what_has_no_part_is_looked_at", "proof",
     (PLACED, "bytes < least && !pool->has_lost &&", "bytes < least &&")),
    ("a_page_is_mapped_before_the_next_is_made", ORDERED + "short_for_long",
     (PAGES, "		made += !res;\n",
      "		if (!res)\n			slot_map_made(pages, made++);\n"),
     (PAGES, "	while (slot < end && !res) {\n"
      "		res = slot_map_made(pages, slot);\n"
      "		slot += !res;\n	}\n", "	slot = end;\n"),
     (PAGES, "	slots_unmake(pages, slot > fresh ? slot : fresh, made);\n",
      "	slots_unmap(pages, fresh, made);\n")),
    ("pages_go_back_beside_no_capture", ORDERED + "beside_a_capture_of_work",
     (DRIVER, " || calls_are_paused_here() ||", " ||")),
    ("a_refused_page_counts_as_gone", CORNERS + "refused_go_back",
     (DRIVER, "	if (backing_is_refused(res))\n		return res;\n"
      "	counter_add", "	counter_add")),
    ("a_refused_mapping_is_forgotten", CORNERS + "refused_go_back",
     (PAGES, "		if (backing_is_refused(last))\n"
      "			return last;\n", "")),
    ("a_refused_page_is_forgotten", CORNERS + "refused_go_back",
     (PAGES, "	if (!backing_is_refused(last))\n		at->page = 0;",
      "	at->page = 0;")),
    ("a_refused_release_is_forgotten", CORNERS + "refused_go_back",
     (PAGES, "	if (!backing_is_refused(res))\n"
      "		at->page = PAGE_RELEASED;", "	at->page = PAGE_RELEASED;")),
    ("what_can_t_be_undone_is_forgotten", CORNERS + "can_t_be_undone",
     (PAGES, "			slot_leave(pages, first, slot->page);\n",
      "			slot->page = 0;\n")),
    ("what_a_growth_has_left_keeps_a_peer_from_access",
     REGIONS + "has_left",
     (PAGES, " && !slot->left;", ";")),
    ("a_page_that_stays_is_released_twice", CORNERS + "can_t_move",
     (PAGES, "			slot->page = PAGE_RELEASED;\n", "")),
    ("former_places_stay", "test_region_figures.py -k for_ever",
     (GROW, "		pages_settle(pages, &growth->moved[i], over);\n",
      "		(void)over;\n")),
    ("slots_that_are_mapped_are_claimed_again", CORNERS + "can_t_be_undone",
     (GROW, " ||\n	    !pages_are_none(growth->region->pages, &to))", ")")),
    ("refused_addresses_are_tried_for_ever", CORNERS + "passed_over",
     (GROW, "	    (res != CUDA_ERROR_OUT_OF_MEMORY && res != TAKE_LIMITED) ||\n",
      "")),
    ("a_segment_forgets_what_it_has_mapped", CORNERS + "can_t_be_undone",
     ("src/heap/grow_segment.c",
      "	segment->pages->claimed = segment->pages->count;\n", "")),
    ("a_region_whose_end_is_refused_is_forgotten", CORNERS + "ends_later",
     (PAGES, "	if (backing_is_refused(res)) {\n		pages_lose(pages);\n"
      "		return;\n	}\n", "")),
    ("a_region_that_is_full_stays", CORNERS + "addresses_are_used_up",
     (GROW, "	placed_leave(pool);\n", "	pool->view.growing = NULL;\n")),
    # Frees.
    ("a_free_beside_a_capture_is_refused", CORNERS + "beside_a_capture",
     (FREE_ASYNC, "					free_is_captured(stream, "
      "per_thread)", "					capture_any()")),
    ("a_free_in_a_capture_is_ours", CORNERS + "beside_a_capture",
     (FREES, "	return how == MEM_FREE_CAPTURED ||\n", "	return\n")),
    ("what_is_exported_is_placed_anew",
     "test_regions_shared.py -k never_used_again",
     (FREES, "	if (exported)\n		return placed_stays(block);\n", "")),
    ("a_second_free_goes_to_cuda", REGIONS + "freed_once",
     (FREES, " || region_has(addr)", "")),
    # How a region grows.
    ("what_is_free_at_the_end_counts_under_pressure", CORNERS + "as_it_grows",
     (VMM, "rule == MNM_GROW_FREELY ? tail_bytes", "rule != MNM_GROW_FRESH ? "
      "tail_bytes")),
    ("each_thread_opens_a_region", SWAPS + "at_once_share_one",
     (GROW, " || pool->view.growing)", ")")),
    ("a_pool_grows_after_its_end", SWAPS + "is_counted",
     (WHOLE_GROW, "	return retired ? CUDA_SUCCESS", "	return false ? "
      "CUDA_SUCCESS")),
    ("what_others_have_claimed_since_is_free_again",
     "race a region that fails to grow beside one that does",
     (GROW, "	    to.addr + to.bytes != region->base + region->bytes ||\n",
      "")),
    ("pages_that_are_just_mapped_miss_a_peer",
     "race a region that grows beside a peer's access",
     (GROW, "	if (!res)\n		devices_allow_since(", "	if (false)\n"
      "		devices_allow_since(")),
    ("a_segment_that_is_just_mapped_misses_a_peer",
     "race a fresh segment beside a peer's access",
     ("src/heap/grow_segment.c", "	devices_allow_since(device, segment->"
      "pages->base, bytes,\n			    segment->devices);\n", "")),
    ("a_hole_between_pages_is_not_seen",
     "race pages that go back beside a peer's access",
     (PAGES, "	if (!res && slots_serve(pages, slot, end))",
      "	if (!res)")),
    ("a_page_that_goes_back_keeps_a_peer_from_access",
     "race pages that go back beside a peer's access",
     (PAGES, "	if (!res && slots_serve(pages, slot, end))\n"
      "		return res;\n	for (res = 0;",
      "	if (true)\n		return res;\n	for (res = 0;")),
    ("a_page_that_has_gone_keeps_a_peer_from_access",
     "race pages that go back beside a peer's access",
     (PAGES, "		if (!slot_serves(&pages->slots[slot]))\n"
      "			res = 0;\n", "")),
    ("a_page_that_goes_back_says_so_too_late", REGIONS + "about_to_go",
     (PAGES, "	return page && page != PAGE_RELEASED && !slot->left;",
      "	return page && !slot->left;")),
    ("a_peer_that_has_no_access_is_told_it_has", REGIONS + "is_told",
     ("src/hooks/peer_access.c", "	if (shown) {", "	if (false) {")),
    ("a_peer_stays_enabled_without_access", REGIONS + "is_told",
     ("src/hooks/peer_access.c", "		if (!res)\n			REAL_CALL("
      "cuCtxDisablePeerAccess, peer);\n", "")),
    ("idle_memory_keeps_a_peer_from_access", REGIONS + "keep_a_peer",
     ("src/hooks/peer_access.c", "	while (room_make(&room, res));",
      "	while (false);")),
    # Contexts that are just ending.
    ("an_ending_contexts_region_judges_copies", SWAPS + "addresses_next",
     (REGION, "	return region && !is_ending(region) ? region : NULL;",
      "	return region;")),
    ("a_region_that_went_unseen_stays", SWAPS + "went_unseen",
     (FRESH, "	pools_correct_over(addr, block->span);\n", "")),
    ("what_the_program_maps_lies_in_an_old_region", SWAPS + "program_maps",
     ("src/hooks/foreign_virtual.c", "	pools_correct_over(addr, size);\n",
      "")),
    ("a_region_grows_over_an_old_one", SWAPS + "virtual_memory_lies",
     (GROW, "	if (region_context_over(pages->base, pages->count * "
      "PAGE_BYTES)) {", "	if (false) {")),
    ("a_segment_lies_over_an_old_region", SWAPS + "virtual_memory_lies",
     ("src/heap/grow_segment.c",
      "	if (region_context_over(segment->pages->base, lack->fresh)) {",
      "	if (false) {")),
    ("lost_pages_go_back_under_running_work", CORNERS + "leaves_none_beside",
     (PAGES, "		if (work_is_over(pages))", "		if (true)")),
    ("what_passes_through_lies_in_an_old_region", SWAPS + "passes_through",
     ("src/hooks/memory.c", "	return LIKELY(!regions_exist()) ?",
      "	return LIKELY(true) ?")),
    ("what_no_pool_serves_lies_in_an_old_region", SWAPS + "no_pool_serves",
     ("src/mem/foreign.c", "	if (model->name.key == FOREIGN_ADDRESS)\n"
      "		pools_correct_over(model->name.handle, model->bytes);\n", "")),
    ("what_an_ending_context_had_idle_is_gone", SWAPS + "addresses_next",
     (HOLDER, "	context_await(context);\n", "")),
    ("a_request_that_meets_a_swap_is_cudas", SWAPS + "is_counted",
     (MEM, "i < SWAPS_MOST &&", "i < 1 &&")),
    ("more_than_a_device_holds_takes_pages", CORNERS + "any_device_holds",
     (GROW, "!device_can_hold(heap->device, span)", "span > SIZE_MAX / 2")),
    ("what_a_region_lies_over_counts_as_live",
     "test_region_figures.py -k ended_unseen",
     (LOOK, "MNM_EPOCH_NEVER ? how : COUNTER_hits);\n"
      "	context_leave(context);\n	blocks_oust();",
      "MNM_EPOCH_NEVER ? how : COUNTER_hits);\n"
      "	context_leave(context);")),
    ("what_a_placed_block_lies_over_counts_as_live",
     "test_region_figures.py -k ended_unseen",
     (LOOK, "block_lend(block, request, COUNTER_hits);\n"
      "	context_leave(context);\n	blocks_oust();",
      "block_lend(block, request, COUNTER_hits);\n"
      "	context_leave(context);")),
    ("what_is_in_hand_goes_with_an_end_seen_late",
     "race free region that goes back beside one in its place",
     (FORGET, "	while (!context_closing(context))\n"
      "		context_unused(context);\n", ""),
     (FORGET, "	context_closed(context);\n", "")),
    ("what_was_idle_unseen_speaks_of_regions",
     "test_region_swaps.py -k nothing_of_regions",
     (FORGET, "		pending_forget(at, false);\n",
      "		regions_correct(at);\n"),
     (FORGET, "/* The regions say nothing of it",
      "static void regions_correct(struct heap *heap);\n"
      "/* The regions say nothing of it")),
]
