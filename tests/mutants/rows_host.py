"""As rows.py, for the control thread and what it leaves behind."""

HELPER = "src/control/helper.c"
LISTENER = "src/control/listener.c"
SWEEP = "src/control/sweep.c"
WAKE = "src/control/wake.c"

ROWS = [
    ("main_leaves_and_wakes_nobody", "test_resident.py -k main_wakes",
     (WAKE, "	syscall(SYS_tgkill, getpid(), thread, WAKE_SIGNAL);\n", "")),
    ("a_pending_signal_spins_the_control_thread",
     "test_resident.py -k everybody_blocks",
     (HELPER, "	close(wake);\n	wake = -1;\n", "")),
    ("nobody_sweeps", "test_resident.py -k is_swept",
     (LISTENER, "	sweep(dir);\n", "")),
    ("whose_number_is_free_is_swept", "test_resident.py -k nobody_listens",
     (SWEEP, "	return refused;", "	return true;")),
    ("the_folder_is_not_kept", "test_resident.py -k another_root_too",
     (LISTENER, "	folder = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);\n",
      "")),
]
