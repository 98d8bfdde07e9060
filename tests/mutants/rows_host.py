"""As rows.py, for the control thread and what it leaves behind."""

BEHIND = "src/preload/behind.c"
FILTER = "src/preload/syscall_filter.c"
HELPER = "src/control/helper.c"
LEFT = "src/common/socket_left.c"
LISTENER = "src/control/listener.c"
WAKE = "src/control/wake.c"

ROWS = [
    ("main_leaves_and_wakes_nobody", "test_resident.py -k main_wakes",
     (WAKE, "	syscall(SYS_tgkill, getpid(), thread, WAKE_SIGNAL);\n", "")),
    ("a_pending_signal_spins_the_control_thread",
     "test_resident.py -k everybody_blocks",
     (HELPER, "	close(wake);\n	wake = -1;\n", "")),
    ("a_filter_of_its_own_is_tried", "test_resident.py -k of_the_programs_own",
     (FILTER, "	if (!inherited)\n		return OWN;\n", "")),
    ("a_later_filter_is_free", "test_resident.py -k of_the_programs_own",
     (FILTER, "errno == EINVAL) ? FREE : OWN;",
      "errno == EINVAL) ? FREE : FREE;")),
    ("an_inherited_filter_is_free", "test_resident.py -k filter_that_kills",
     (FILTER, "	case INHERITED:\n		break;",
      "	case INHERITED:\n		return false;")),
    ("a_services_filter_is_its_own", "test_resident.py -k parent_is_seen",
     (FILTER, " ||\n			    is_grouped_apart(parent);", ";")),
    ("a_containers_filter_is_its_own", "test_resident.py -k container_costs",
     (FILTER, "!parent || is_parents", "is_parents")),
    ("what_sweeps_is_not_tried", "test_resident.py -k kills_for_a_socket",
     (FILTER, "	SYS_getdents64, SYS_kill, SYS_tgkill,", "	SYS_getdents64,")),
    ("any_preload_behind_is_told", "test_preloads.py -k not_asked",
     (BEHIND, "names(list, object->l_name) && takes_memory(object)",
      "names(list, object->l_name)")),
    ("what_takes_memory_need_be_no_preload", "test_preloads.py -k not_asked",
     (BEHIND, "names(list, object->l_name) && takes_memory(object)",
      "takes_memory(object)")),
    ("a_socket_that_is_new_is_swept", "unit",
     (LEFT, "	if (is_left(&moved))\n		unlink", "	if (true)\n		unlink")),
    ("a_file_is_swept", "test_resident.py -k no_socket_is",
     (LEFT, "AT_SYMLINK_NOFOLLOW) ||\n	    !S_ISSOCK(st.st_mode))",
      "AT_SYMLINK_NOFOLLOW))")),
    ("nobody_sweeps", "test_resident.py -k is_swept",
     (LISTENER, "	sweep(dir);\n", "")),
    ("a_link_of_anothers_is_followed", "test_resident.py -k leads_the",
     ("src/control/stat_file.c", "	if (is_anothers_link(path)) {",
      "	if (0 && is_anothers_link(path)) {")),
    ("roots_links_are_anothers", "test_resident.py -k leads_the",
     ("src/control/stat_file.c", " && st.st_uid && st.st_uid != geteuid();",
      ";")),
    ("the_first_answer_takes_a_file", "test_server_odd.py -k takes_no_file",
     ("src/control/about.c", "	json_object_seed(0);", "	/* nothing */")),
    ("what_is_aside_stays", "test_resident.py -k was_aside",
     ("src/control/sweep.c",
      "		socket_remove_aside(folder, entry->d_name);\n", "")),
    ("whose_number_is_free_is_swept", "test_resident.py -k nobody_listens",
     (LEFT, "	return refused;", "	return true;")),
    ("the_folder_is_not_kept", "test_resident.py -k another_root_too",
     (LISTENER, "	folder = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);\n",
      "")),
]
