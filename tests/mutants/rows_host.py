"""As rows.py, for the control thread and what it leaves behind."""

HELPER = "src/control/helper.c"
WAKE = "src/control/wake.c"

ROWS = [
    ("main_leaves_and_wakes_nobody", "test_resident.py -k main_wakes",
     (WAKE, "	syscall(SYS_tgkill, getpid(), thread, WAKE_SIGNAL);\n", "")),
    ("a_pending_signal_spins_the_control_thread",
     "test_resident.py -k everybody_blocks",
     (HELPER, "	close(wake);\n	wake = -1;\n", "")),
]
