"""As rows.py, for tstack_pool and the plans that it follows."""

REPLAY = "src/plan/replay.c"
GRAMS = "src/plan/replay_grams.c"
OPEN = "src/plan/replay_open.c"
ARENA = "src/pools/tstack_arena.c"
POOL = "src/pools/tstack_pool.c"
REPAIR = "src/plan/repair_lists.c"
GROW = "src/heap/grow_pages.c"

ROWS = [
    # Who may be at a place that a plan gives out.
    ("a_live_block_is_where_a_plan_places", "unit",
     (REPLAY, "	if (!arena_is_free(arena, at->offset, at->size))\n"
      "		return REPLAY_TAKEN;\n", "")),
    ("a_predecessor_lives", "unit",
     (REPLAY, "		if (state->live)\n"
      "			return REPLAY_TAKEN;\n", "")),
    ("a_predecessors_free_is_not_over", "unit",
     (REPLAY, "		if (!ready(&state->freed, argument))\n"
      "			answer = REPLAY_EARLY;\n", "")),
    ("the_free_before_is_not_over", "unit",
     (REPLAY, "	return ready(&latest, argument) ? REPLAY_FREE : "
      "REPLAY_EARLY;", "	return REPLAY_FREE;")),
    ("a_predecessor_was_not_placed_in_its_turn", "unit",
     (REPLAY, "		if (replay->states[*before].turn !=\n"
      "		    turn_due(replay, *before, slot))\n"
      "			return false;\n", "")),
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
    # Where the program is in its plan.
    ("a_lost_place_is_never_found", "unit",
     (REPLAY, "		slot = find_anew(replay);\n", "		;\n")),
    ("a_place_found_before_the_last_is_of_this_cycle", "unit",
     (REPLAY, "	if (slot < replay->then.next)\n"
      "		replay->then.cycle++;\n", "")),
    ("a_part_that_repeats_is_ambiguous", "unit",
     (GRAMS, "	replay->part = part_of(replay);",
      "	replay->part = replay->lap;")),
    # Memory of the arena.
    ("an_arena_begins_as_the_last_one_ended", "unit",
     (ARENA, "	replay_begin(self->replay, replay_next(self->replay));\n",
      "")),
    ("a_place_without_pages", "unit",
     (ARENA, "	return page == end;", "	return true;")),
    ("pages_of_an_arena_forget_their_age", "unit",
     (ARENA, "	if (place->epoch > self->arena.freed)\n"
      "		self->arena.freed = place->epoch;\n", "")),
    ("an_arenas_end_gives_addresses_without_pages", "unit",
     (ARENA, "		if (!self->unbacked || *backed)\n	", "	")),
    ("an_arenas_end_forgets_its_age", "unit",
     (ARENA, "				      .epoch = self->arena.freed};\n\n"
      "	if (ending->failed)", "				      .epoch = 0};\n\n"
      "	if (ending->failed)")),
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
    ("two_threads_grow_at_one_place",
     "race two requests that need the same pages of a plan",
     (GROW, "region->grows_inside || ", "")),
    # What a plan that is repaired has in the way.
    ("a_repair_meets_a_buffer_on_both_sides_of_the_cut", "unit",
     (REPAIR, "				if (*met == repair->searches)\n"
      "					continue;\n", "")),
    ("a_repair_meets_a_buffer_in_each_cell", "unit",
     (REPAIR, "			    part->from < begin)",
      "			    (circle && part->from < begin))")),
]
