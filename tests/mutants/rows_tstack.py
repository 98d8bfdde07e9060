"""As rows.py, for tstack_pool and the plans that it follows."""

REPLAY = "src/plan/replay.c"
GRAMS = "src/plan/replay_grams.c"
OPEN = "src/plan/replay_open.c"
TEMPLATES = "src/plan/templates.c"
WINDOW = "src/pools/tstack_window.c"
ARENA = "src/pools/tstack_arena.c"
POOL = "src/pools/tstack_pool.c"
REPAIR = "src/plan/repair_lists.c"
GROW = "src/heap/grow_pages.c"
STRAY = "src/pools/tstack_stray.c"
PLAN = "src/pools/tstack_plan.c"
LAP = "src/pools/tstack_lap.c"
LIVE = "src/plan/arena.c"
ROOM = "src/plan/replay_room.c"
OWN = "src/plan/replay_own.h"
STEP = "src/plan/replay_step.h"
PAST = "src/plan/replay_past.c"
CELLS = "src/plan/arena.c"
STEPS = "src/tcache/tcache_steps.c"
COURSE = "src/tcache/tcache_course.c"
PLANNED = "src/heap/planned.c"
PLACED = "src/heap/placed.c"
REGION = "src/heap/region.c"
LAPS = "proof --kind laps"

ROWS = [
    # Who may be at a place that a plan gives out.
    ("a_live_block_is_where_a_plan_places", "unit",
     (REPLAY, "	if (!arena_is_free(arena, at->offset, at->size, &age))\n"
      "		return late_note(replay, slot);\n",
      "	(void)arena_is_free(arena, at->offset, at->size, &age);\n")),
    ("a_predecessor_lives", "unit",
     (REPLAY, "		if (cell_is_of(replay, cell, *before) && "
      "arena_cell_lives(cell))\n"
      "			return late_note(replay, slot);\n", "")),
    ("a_predecessors_free_is_not_over", "unit",
     (REPLAY, "		if (!ready(&freed, argument))\n"
      "			answer = REPLAY_EARLY;\n", "")),
    ("the_free_before_is_not_over", "unit",
     (REPLAY, "	return ready(&latest, argument) ? REPLAY_FREE : "
      "REPLAY_EARLY;", "	return REPLAY_FREE;")),
    ("a_predecessor_was_not_placed_in_its_turn", "unit",
     (REPLAY, "		if (replay->states[*before].turn !=\n"
      "		    turn_due(cycle, *before, slot))\n"
      "			return false;\n", "")),
    ("a_smaller_block_stands_for_its_whole_place", "unit",
     (REPLAY, "size == at->size ? replay->then.cycle",
      "size ? replay->then.cycle")),
    ("a_stray_is_followed", "unit",
     (REPLAY, "	if (replay->then.stray || arena->strays)\n"
      "		return false;\n", "")),
    ("a_strays_free_is_not_over", "unit",
     (REPLAY, " && ready(&stray, argument))", ")")),
    ("a_cycle_has_predecessors_of_one_round", "unit",
     (OPEN, "	for (uint32_t i = 0; i < replay->count; i++)\n"
      "		slot_passes(", "	for (uint32_t i = 0; i + 1 < "
      "replay->count; i++)\n		slot_passes(")),
    ("a_predecessor_of_the_last_piece_is_left_out", "unit",
     (OPEN, "pieces->edges[i] < at->offset + at->size; i++)",
      "pieces->edges[i + 1] < at->offset + at->size; i++)")),
    # Blocks in the arena that no plan foresaw.
    ("bytes_for_a_stray_are_not_ready", "unit",
     (STRAY, "	if (!tstack_is_ready(&latest, &asked))\n"
      "		return MNM_UNSAFE;\n", "")),
    ("frees_in_two_streams_are_ordered_by_one", "unit",
     (LIVE, "	else if (age->stream != stream)\n"
      "		age->stream = 0;\n", "")),
    ("a_strays_bytes_are_needed_soon", "unit",
     (ROOM, "		gaps_cut(gaps, &replay->slots[slot], size);\n", "")),
    ("a_block_that_stays_holds_places_for_ever", "unit",
     (STRAY, "	return self->arena.strays &&\n", "	return false &&\n")),
    ("requests_that_no_plan_foresees_are_laps", "unit",
     (LAP, " &&\n		!replay_missed(self->replay);", ";")),
    ("the_rest_of_an_arenas_last_page_is_lost", "unit",
     (ARENA, "	tail_add(self, place);\n", "")),
    ("an_arena_ends_to_give_what_is_not_needed", "unit",
     (POOL, "	if (!moves && self->sheds) {\n", "	if (0) {\n")),
    # Where the program is in its plan.
    ("a_lost_place_is_never_found", "unit",
     (REPLAY, "		slot = find_anew(replay);\n", "		;\n")),
    ("a_place_found_before_the_last_is_of_this_cycle", "unit",
     (REPLAY, "	if (slot < replay->then.next)\n"
      "		replay->then.cycle++;\n", "")),
    ("a_part_that_repeats_is_ambiguous", "unit",
     (GRAMS, "	replay->part = part_of(replay);",
      "	replay->part = replay->lap;")),
    # Several templates.
    ("a_stale_template_passes_for_one_that_was_followed", "unit",
     (REPLAY, "		.cycle = replay->at.cycle + 2,\n",
      "		.cycle = replay->at.cycle ? replay->at.cycle : 2,\n")),
    ("a_shape_is_not_known_by_its_first_requests", "unit",
     (TEMPLATES, "	if (count >= CYCLE_KEY)\n", "	if (CYCLE_KEY)\n")),
    ("a_shape_is_planned_again_and_again", "unit",
     ("src/plan/templates_cycle.c", "	uint64_t print = templates_print(cycle);\n",
      "	uint64_t print = 1;\n")),
    # Windows that go.
    ("a_window_that_goes_has_a_live_block", "unit",
     (WINDOW, "			look->taken[j] = true;\n", "			;\n")),
    ("a_place_in_a_window_that_has_gone_is_used", "unit",
     (ARENA, "request->span ||\n	    tstack_window_has(self, "
      "replay_slot_at(self->replay, slot)))", "request->span)")),
    ("the_first_window_goes", "unit",
     ("src/plan/window.c", "		if (any && cost >= found->cost)\n",
      "		if (any)\n")),
    # Memory of the arena.
    ("an_arena_begins_as_the_last_one_ended", "unit",
     (ARENA, "	replay_begin(self->replay, replay_next(self->replay));\n",
      "")),
    ("a_place_without_pages", "unit",
     (ARENA, "	return page == end;", "	return true;")),
    ("pages_of_an_arena_forget_their_age", "unit",
     (ARENA, "	arena_age(&self->arena.freed, place->epoch, place->stream);\n",
      "")),
    ("an_arenas_end_gives_addresses_without_pages", "unit",
     (ARENA, "		if (!self->unbacked || *backed)\n	", "	")),
    ("an_arenas_end_forgets_its_age", "unit",
     (ARENA, ".epoch = self->arena.freed.epoch,\n", ".epoch = 0,\n")),
    ("a_region_is_to_grow_at_one_place_twice", "unit",
     (ARENA, "	lack->at = self->begin + self->need;\n"
      "	self->needs = false;\n", "	lack->at = self->begin + self->need;\n")),
    ("an_arena_waits_for_pages_that_never_come", "unit",
     (POOL, "self->unbacked && self->region != self->pool.growing",
      "false")),
    ("a_region_for_a_plan_is_too_small_for_the_request", "unit",
     (POOL, "self->wanted >= span && freely", "self->wanted && freely")),
    ("memory_for_a_request_is_forgotten_by_anothers", "unit",
     (POOL, "	size_t *skip = skip_find(self, request->span);\n",
      "	size_t *skip = skip_find(self, request->span);\n\n"
      "	if (!skip)\n		self->skipping = 0;\n")),
    # Ranges that tell of iterations.
    ("a_tool_behind_hears_of_no_range", "test_marks.py -k hears_all",
     ("src/api/nvtx.c", "		result answer = next ? next arguments : (none); \\",
      "		result answer = next && 0 ? next arguments : (none); \\")),
    ("a_tools_names_are_not_known", "test_marks.py -k hears_all",
     ("src/api/nvtx_names.c",
      "			return atomic_load(&handles->at[at].name);\n",
      "			return NULL;\n")),
    ("two_threads_grow_at_one_place",
     "race two requests that need the same pages of a plan",
     (GROW, "region->grows_inside || ", "")),
    # What is taken and freed without a lock.
    ("a_slots_free_is_forgotten_with_its_cell", "unit",
     (OWN, "	if (state->cell == cell)\n		state->freed",
      "	if (!state)\n		state->freed")),
    ("a_predecessor_lives_at_a_step", "unit",
     (STEP, "		if ((cell_is_of(replay, cell, *before) &&\n"
      "		     arena_cell_lives(cell)) ||\n		    ",
      "		if ((cell && 0) ||\n		    ")),
    ("a_predecessor_was_not_placed_in_its_turn_at_a_step", "unit",
     (STEP, "		if (state->turn != due) {\n",
      "		if (!cell) {\n")),
    ("a_plan_begins_among_blocks_that_live", "unit",
     (OWN, "		if (arena_cell_lives(cell))\n"
      "			return false;\n", "")),
    ("a_plan_begins_before_what_was_there_is_over", "unit",
     (PAST, "			if (arena_cell_epoch(cell) > past->epoch)\n"
      "				past->epoch = arena_cell_epoch(cell);\n",
      "")),
    ("a_plan_begins_before_what_lived_on_is_over", "unit",
     (OWN, "		if (arena_cell_epoch(cell) > past->epoch)\n"
      "			past->epoch = arena_cell_epoch(cell);\n", "")),
    ("a_plan_begins_among_too_many_blocks", "unit",
     (PAST, "			past_forget(replay);\n			return;\n",
      "			break;\n")),
    ("what_a_plan_left_out_is_of_the_past", "unit",
     (OWN, "slot < replay->past.next);", "slot <= replay->past.next);")),
    ("a_program_that_goes_on_elsewhere_left_nothing_behind", "unit",
     (PAST, "	replay_past(replay, arena);\n	replay->past.cycle",
      "	(void)arena;\n	replay->past.epoch = 0;\n	replay->past.cycle")),
    ("a_life_ends_with_its_arena", "unit",
     (ARENA, "		tstack_lives_on(self, self->arena.cells[i]);\n",
      "		;\n")),
    ("a_life_of_an_arena_counts_as_planned", "unit",
     ("src/pools/tstack_course.c", "	finder_live_on(self->finder, "
      "cell->told - 1);\n", "")),
    ("a_plan_saves_memory_again_and_again", "unit",
     ("src/pools/tstack_stray.c",
      "	self->dear += self->dear < DEAR_MOST;\n", "")),
    ("a_shape_found_in_its_midst_came_in_its_turn", "unit",
     (PLAN, " && !self->templates.found &&", " &&")),
    ("a_predecessors_free_is_not_over_at_a_step", "unit",
     (STEP, "		    slot_freed(replay, *before).epoch >= safe)",
      "		    false)")),
    ("a_stray_lives_at_a_step", "unit",
     (STEP, "	    atomic_load_explicit(&arena->strays, "
      "memory_order_acquire) ||\n", "")),
    ("a_step_goes_on_where_the_place_is_lost", "unit",
     (STEP, " replay->at.lost ||\n	    replay->at.missed ||", "")),
    ("what_a_step_took_is_not_counted", "unit",
     (CELLS, "		 unsigned int stream, uint64_t now)\n{\n"
      "	arena_count(arena, cell);\n",
      "		 unsigned int stream, uint64_t now)\n{\n")),
    ("a_request_for_nothing_steps", "test_steps.py -k no_pool_serves",
     (OPEN, "slots[i].plain ? slots[i].size : NO_SIZE;",
      "slots[i].plain ? slots[i].size : 0;")),
    ("a_thread_frees_as_much_as_before", "test_steps.py -k less_at_once",
     ("src/tcache/tcache.c", "	tcache_course_fit(cache);\n", "")),
    ("what_is_not_ready_grows_the_pool_again", "test_steps.py -k does_not_grow",
     (POOL, "	self->fenceless |= self->unready == span;\n", "")),
    ("a_plan_is_left_before_the_next_one_is_made", "unit",
     (LAP, "tstack_lap_count(self, 1, bytes, placed, turns);",
      "tstack_lap_count(self, 1, bytes, placed && "
      "!self->job, turns);")),
    ("an_empty_cache_stays_on_its_course", "unit",
     ("src/tcache/tcache_blocks.c", "	tcache_course_leave(cache);\n", "")),
    ("a_thread_frees_along_whatever_course", "test_steps.py -k another_devices",
     (STEPS, "block->owner != owner_of(cache->course->pool, 0) ||", "")),
    ("a_dead_contexts_course_serves_another", "unit",
     ("src/tcache/tcache.c", "	       !cache->course && "
      "!cache->pass_through.pool;", "	       !cache->pass_through.pool;")),
    ("sizes_that_are_whole_step", "test_steps.py -k passed_on",
     ("src/mem/exported.c", "	planned_end_all();\n", "")),
    ("an_idle_place_hides_the_block_around_it", "test_steps.py -k inside",
     (REGION, "		*start = start_before(region, addr);",
      "		*start = starts_before(&region->starts, addr);")),
    ("a_block_of_a_list_is_stepped_onto", LAPS,
     (STEPS, "	block->next = (struct block *)cell; /* it may have been in a "
      "list */\n", "")),
    ("a_course_is_held_by_two", "test_steps.py -k takes_the_plan_over",
     (COURSE, "	if (cache == tcache_current)\n		return;",
      "	if (cache)\n		return;")),
    ("a_plan_ends_while_others_free_there", LAPS,
     (ARENA, "	if (self->course.doors)\n"
      "		self->course.doors->close(&self->course);\n"
      "	ending.live", "	ending.live")),
    ("a_repair_meets_a_buffer_on_both_sides_of_the_cut", "unit",
     (REPAIR, "				if (*met == repair->searches)\n"
      "					continue;\n", "")),
    ("a_repair_meets_a_buffer_in_each_cell", "unit",
     (REPAIR, "			    part->from < begin)",
      "			    (circle && part->from < begin))")),
]
