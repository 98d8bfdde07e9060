"""Guards of replays and shadows."""

SCRIPT = "src/cli/replay/script.c"
SCALE = "src/cli/replay/scale.c"
STAGE = "src/cli/replay/stage.c"
PLAYER = "src/cli/replay/player.c"
PLAYERS = "src/cli/replay/players.c"
REPETITION = "src/cli/repetition.c"
RISES = "src/cli/rises.c"
FIT = "src/cli/replay/fit.c"
READER = "src/record/reader.c"
FOLLOWED = "src/cli/shadow/followed.c"

ROWS = [
    ("any_rise_is_an_iteration", "test_replay.py -k other_shapes",
     (RISES, "	double widest = CLEARLY;\n", "	double widest = 1;\n")),
    ("a_request_is_an_iteration", "test_replay.py -k other_shapes",
     (RISES, "rises->usual / SHORTER", "0")),
    ("what_stays_is_what_lives_at_the_end", "test_report_html.py -k many_lengths",
     (RISES, "rises->expected - quarter &&", "rises->expected &&")),
    ("a_replay_has_no_work_under_way",
     "test_replay.py -k two_streams",
     (STAGE, "		return play_work(stage, step, stream) &&\n"
      "		       play_free(", "		return play_free(")),
    ("a_replay_does_not_wait_at_marks", "test_replay.py -k agrees",
     (PLAYER, "	if (number && !went(player, stage_wait(&player->stage)))",
      "	if (0)")),
    ("marks_are_not_told_to_pools", "test_replay.py -k agrees",
     (PLAYER, "	if (player->start.marks_told)\n", "	if (0)\n")),
    ("a_step_is_in_no_stream", "test_replay.py -k two_streams",
     (SCRIPT, "step.stream = streams[event->id] = (uint8_t)event->stream;",
      "streams[event->id] = 0;")),
    ("what_no_pool_serves_takes_no_room", "test_replay.py -k no_pool_serves",
     (STAGE, "	if (bytes)\n		res = stage->driver.cuMemCreate(",
      "	if (0)\n		res = stage->driver.cuMemCreate(")),
    ("a_gradient_follows_the_batch", "test_replay.py -k in_an_iteration",
     (SCALE, "				 !size_is_in(fixed, step->bytes))",
      "				 true)")),
    ("iterations_are_not_compared", "test_replay.py -k differs_between",
     (SCALE, "	fits = compared_find(script, &found);", "	fits = true;")),
    ("the_search_of_a_batch_ends_early", "test_replay.py -k largest_batch",
     (FIT, "CLOSE = 1.01;", "CLOSE = 1.2;")),
    ("an_iteration_is_two", "test_replay.py -k without_marks",
     (REPETITION, "lag <= period->length / 2;", "lag < 1;")),
    ("a_players_environment_is_the_programs",
     "test_replay.py -k variables_of_programs",
     (PLAYERS, "		unsetenv(name);\n", "		at++;\n")),
    ("half_a_frame_is_read", "unit",
     (READER, "	if (record->path && !frame_is_there(record))", "	if (0)")),
    ("parts_that_went_are_passed_over", "unit",
     (READER, "		if (other > part + 1)", "		if (0)")),
    ("a_recording_stays_behind_a_shadow", "test_shadow.py -k nothing_stays",
     (FOLLOWED, "	if (followed->is_ours && followed_ask(followed) &&\n",
      "	if (0 && followed_ask(followed) &&\n")),
    ("a_shadow_that_runs_loses_its_folder", "test_shadow.py -k is_in_use",
     ("src/cli/shadow/folder.c",
      "	if (lock >= 0 && !flock(lock, LOCK_EX | LOCK_NB)) {",
      "	if (lock >= 0) {")),
    ("a_slow_player_holds_up_figures", "test_shadow.py -k keep_up",
     ("src/cli/shadow/feed.c", "		else if (wrote < 0 && errno == EAGAIN)\n"
      "			return false;\n", "")),
]
