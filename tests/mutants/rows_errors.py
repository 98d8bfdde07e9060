"""As rows.py, for errors of the calls that mnm makes by itself."""

GIVE = "src/core/giveback.c"

ROWS = [
    ("what_was_refused_is_forgotten", "test_faults.py -k refused_to_take",
     (GIVE, "	if (is_refusal(res) && pending_keep", "	if (false && "
      "is_refusal(res) && pending_keep")),
    ("what_is_refused_for_ever_is_asked_for_ever",
     "test_faults.py -k never_takes",
     (GIVE, " && !device->refused", "")),
    ("what_a_callback_was_refused_waits_for_the_next_trim", "proof",
     (GIVE, "	if (device->refused && !again)\n"
      "		device_announce(device);", "	(void)again;")),
    ("what_is_pending_is_past_the_number", "test_idle.py -k several_contexts",
     ("src/core/bound.c",
      "	most += counter_get(device, COUNTER_pending_bytes);\n", "")),
]
