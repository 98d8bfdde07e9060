"""Guards of recordings: what threads note, the files, and their reader."""

RING = "src/record/ring.h"
RINGS = "src/record/ring.c"
READ = "src/record/frame_read.c"
WRITE = "src/record/frame_write.c"
FILE = "src/record/record_file.c"
RECORDER = "src/record/recorder.c"
READER = "src/record/reader.c"
MEMORY = "src/hooks/memory.c"
SITE = "src/record/site.h"
NOTE = "src/tcache/tcache_note.h"
CACHE = "src/tcache/tcache.c"
FREE = "src/mem/mem_free.c"
STREAM = "src/tcache/fast_stream.c"

ROWS = [
    # Notes.
    ("a_size_spoils_the_rest_of_a_note", "unit",
     (RING, "	return number < most ? number : most;",
      "	return number | (most & 0);")),
    ("a_full_ring_is_written_over", "unit",
     (RING, "		       ? record_ring_room(ring)\n",
      "		       ? ring\n")),
    ("what_is_dropped_is_not_counted", "unit",
     (RINGS, "	return more;\n", "	return more & 0;\n")),
    ("notes_of_threads_are_not_merged", "unit",
     (RINGS, "(!taken || ring->notes[tail & (ring->size - 1)].time <= until))",
      "true)")),
    ("a_call_leaves_its_address_to_the_next",
     "test_recording.py -k another_call",
     (SITE, "	if (*outer)\n		record_site = 0;\n",
      "	(void)outer;\n")),
    ("the_runtime_is_told_to_have_called", "test_recording_sites.py",
     (SITE, "record_may_be_on() && !record_site;", "record_may_be_on();")),
    ("the_first_request_has_no_caller", "test_recording_sites.py",
     (RINGS, "record_wants_sites = true;", "record_wants_sites = false;")),
    ("the_fast_path_notes_nothing", "test_recording.py -k is_its_source",
     (NOTE, "	if (record_is_on())\n"
      "		record_note(kind, MNM_RECORD_SERVED | flags,",
      "	if (0)\n		record_note(kind, MNM_RECORD_SERVED | flags,")),
    ("a_recording_does_not_close_the_fast_path",
     "test_recording.py -k is_its_source",
     (CACHE, "	bool recorded = record_is_on();",
      "	bool recorded = false;")),
    ("the_slow_path_notes_no_free", "test_recording.py -k is_its_source",
     (FREE, "	noted_free(device, order, block);\n", "")),
    ("a_free_of_a_larger_block_in_order_is_not_noted",
     "test_recording.py -k larger_blocks",
     (STREAM, "	note_in(cache, MNM_RECORD_FREE, 0, addr, 0, 0);\n", "")),
    ("who_asked_for_what_lives_goes_with_its_part",
     "test_recording.py -k lives_long",
     ("src/record/recorder.c", "	asker_tell(live);\n", "")),
    ("stacks_come_behind_what_lives", "test_recording.py -k lives_long",
     ("src/record/recorder.c", "	recorder.plan.live(live_note);\n	stacks_again();\n",
      "	recorder.plan.live(live_note);\n"),
     ("src/record/recorder.c", "	modules_each(own_module);\n	own_flush();\n",
      "	modules_each(own_module);\n	stacks_again();\n")),
    ("a_gap_hides_who_asked", "unit",
     ("src/record/askers.c", "			gap = at;\n", "			;\n")),
    ("who_asked_is_known_of_any_number", "unit",
     ("src/record/askers.c", "	if (count == ASKERS_MOST || (", "	if ((")),
    ("what_serves_again_in_a_stream_is_not_noted",
     "test_recording.py -k serves_again",
     (STREAM, "	note_in(cache, MNM_RECORD_ALLOC, stream, *addr, size, given);\n",
      "	(void)stream;\n")),
    ("the_stream_that_was_served_is_not_noted",
     "test_recording.py -k serves_again",
     (STREAM, "	unsigned int stream = cache->way.number;\n",
      "	unsigned int stream = 0;\n")),
    ("a_recorded_stream_is_served_slowly", "unit",
     (STREAM, "		magazine = magazine_own(cache, span);\n",
      "		(void)magazine_own;\n")),
    ("a_recorded_stream_frees_slowly", "unit",
     (STREAM, "		done = free_marked_in(cache, key, addr, BLOCK_ORDERED, "
      "taken);\n", "		;\n")),
    ("what_is_recorded_of_a_stream_comes_from_any", "unit",
     (STREAM, "	return is_ready(cache, magazine, number) ? magazine : NULL;",
      "	return magazine;")),
    ("a_free_that_cuda_refuses_stays_noted",
     "test_recording.py -k cuda_refuses",
     (FREE, "	noted_regain(device, block);\n	return true;",
      "	return true;")),
    ("a_free_without_a_context_stays_noted",
     "test_recording.py -k without_a_context",
     (FREE, "	noted_regain(device, block);\n	block_revive",
      "	block_revive")),
    ("a_runtimes_free_is_noted_in_the_driver_too",
     "test_recording.py -k left_is_freed_once",
     (MEMORY, "		passing = given ? (CUdeviceptr)ptr : 0;\n",
      "		passing = 0;\n")),
    ("a_forked_thread_waits_for_a_lock_of_its_parent",
     "test_recording.py -k forked_child_ends",
     (RINGS, "	if (!serving_is_on()) /* a forked child, where locks may stay "
      "held */\n		return;\n", "")),
    # Frames.
    ("a_free_of_none_is_read", "unit",
     (READ, "	if (back > reading->request_count) {", "	if (0) {")),
    ("what_follows_a_column_is_passed_over", "unit",
     (READ, "		if (reading->columns[i].wrong ||\n"
      "		    reading->columns[i].at != reading->columns[i].end)",
      "		if (reading->columns[i].wrong)")),
    ("an_address_asked_for_twice_is_freed_the_first_time", "unit",
     (WRITE, "		     request ? writer->request_count - request + 1 : 0);",
      "		     request ? writer->request_count - request : 0);")),
    # Files.
    ("anything_is_written_over", "test_recording.py -k not_written_over",
     (FILE, "	if (!S_ISREG(st.st_mode) || !may_replace(fd))",
      "	if (!S_ISREG(st.st_mode))")),
    ("what_is_no_file_is_written", "unit",
     (FILE, "	if (!S_ISREG(st.st_mode) || !may_replace(fd))",
      "	if (!may_replace(fd))")),
    ("two_processes_write_one_file", "unit",
     (FILE, "	if (flock(fd, LOCK_EX | LOCK_NB))", "	if (0)")),
    ("half_a_frame_stays", "unit",
     (FILE, "	if (res && ftruncate(file->fd, (off_t)file->size))",
      "	if (0)")),
    ("a_part_grows_without_end", "unit",
     (FILE, "	return file->size + size > file->most / 2;",
      "	return false;")),
    ("a_part_does_not_begin_with_what_lives", "unit",
     (RECORDER, "	recorder.plan.live(live_note);\n", "")),
    ("what_lives_has_any_room", "unit",
     (RECORDER, "	if (recorder.file.size >= recorder.file.most / LIVE_SHARE) {",
      "	if (0) {")),
    ("the_part_before_may_be_anothers", "unit",
     (READER, "id == other_id &&\n	    other + 1 == part)", "true)")),
]
