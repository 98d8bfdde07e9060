"""As rows.py, for the command line: what it waits for, what it prints of what
another process says, and its exit status."""

ARGUMENTS = "src/cli/arguments.c"
ASK = "src/cli/ask.c"
ASK_RUN = "src/cli/ask_run.c"
CHANGE = "src/cli/change.c"
FIELD = "src/cli/field.c"
FRAMEWORKS = "src/cli/frameworks.c"
JOB = "src/cli/job.c"
OUTPUT = "src/cli/output.c"
PRINT = "src/cli/print.c"
PS = "src/cli/ps.c"

ROWS = [
    # What it waits for.
    ("an_answer_has_no_end", "test_operator_odd.py -k without_end",
     (ASK, "!grown || room > ANSWER_MAX", "!grown")),
    ("an_order_has_no_time", "test_operator.py -k has_a_time",
     (ASK, "	if (request->order)\n", "	if (0)\n")),
    ("a_list_is_searched_for_ever", "test_operator_odd.py -k holds_up_nobody",
     (CHANGE, '	size_t count = field_count(stat, "devices", DEVICE_ALL);',
      '	size_t count = json_array_size(devices);'),
     (CHANGE, '	size_t count = field_count(answer, "devices", DEVICE_ALL);\n'
      "	bool any", "	size_t count = json_array_size(devices);\n	bool any")),
    # Who is asked.
    ("anybody_may_answer", "test_operator_odd.py -k another_user_listens",
     (JOB, " ||\n	    peer.uid != job->uid)", ")")),
    ("another_may_answer_next", "test_operator_odd.py -k gone_is_not_asked",
     (JOB, " && job->peer == peer;", ";")),
    ("any_version_is_understood", "test_operator.py -k another_version",
     (ASK, "	    json_integer_value(schema) != ANSWER_SCHEMA)",
      "	    json_integer_value(schema) < 0)")),
    ("any_answer_is_understood", "test_operator.py -k another_question",
     (ASK, "!error && field_fits(answer, request->answer) ? NULL",
      "1 ? NULL")),
    ("any_type_is_understood", "test_operator_odd.py -k another_type",
     (ASK, "		return json_is_array(field);", "		return field;"),
     (ASK, "json_is_string(field)\n					 : "
      "json_is_object(field);", "!!field : !!field;")),
    ("what_follows_a_zero_is_dropped", "test_operator_odd.py -k another_type",
     (ASK, "json_loadb(job->text, job->size, 0, NULL)",
      "json_loads(job->text, 0, NULL)")),
    # What is printed.
    ("a_control_is_printed", "test_operator.py -k reaches_the_terminal",
     ("src/common/text.c", "*from >= ' ' && *from <= '~'",
      "*from >= ' ' || *from == 27")),
    ("a_delete_is_printed", "test_operator.py -k reaches_the_terminal",
     ("src/common/text.c", "*from >= ' ' && *from <= '~'", "*from >= ' '")),
    ("an_error_is_printed_as_it_is", "test_operator.py -k reaches_the_terminal",
     (ASK, "	text_plain(why, job->error, sizeof(job->error));",
      '	snprintf(job->error, sizeof(job->error), "%s", why);')),
    ("a_field_is_printed_as_it_is", "test_operator.py -k reaches_the_terminal",
     (FIELD, '	return text_plain(value ? value : "?", text, size);',
      '	snprintf(text, size, "%s", value ? value : "?");\n'
      "	return text;")),
    ("an_options_name_is_printed_as_it_is",
     "test_operator.py -k reaches_the_terminal",
     (PRINT, "		text_plain(key, name, sizeof(name));\n",
      '		snprintf(name, sizeof(name), "%s", key);\n')),
    ("json_is_not_ascii", "test_operator.py -k reaches_the_terminal",
     (OUTPUT, " | JSON_ENSURE_ASCII)", ")")),
    ("json_holds_a_delete", "test_operator.py -k reaches_the_terminal",
     (OUTPUT, "		if (*c == 0x7f)", "		if (0)")),
    ("a_folders_name_is_printed_as_it_is",
     "test_operator_odd.py -k folders_name",
     (JOB, "text_plain(dir, plain, sizeof(plain))", "dir")),
    ("a_table_has_no_end", "test_operator.py -k reaches_the_terminal",
     (FIELD, "	return count < most ? count : most;", "	return count;")),
    ("a_figure_is_made_up", "test_operator_odd.py -k figures_that_are_missing",
     (FIELD, "	if (pooled < 0 || all < 0 || reserved < 0 ||\n	    ",
      "	if (")),
    # The exit status.
    ("a_silent_job_is_status_0", "test_operator.py -k row_with_pid",
     (PS, "		if (is_odd(&jobs.list[i]))\n			status = "
      "EXIT_FAILED;\n", "")),
    ("a_silent_job_of_all_is_status_0", "test_operator.py -k names_the_silent",
     (ASK_RUN, "		status = job_failure(job);",
      "		job_failure(job);")),
    ("a_device_that_failed_is_status_0", "test_operator_odd.py -k refuses_is",
     (ASK_RUN, "			status = EXIT_FAILED;\n		if (!arguments",
      "			status = EXIT_DONE;\n		if (!arguments")),
    ("a_program_is_left_out", "test_operator_odd.py -k in_silence",
     (JOB, "	if (!jobs->failed && !descriptors_suffice()) {",
      "	if (0) {")),
    ("a_full_disk_is_status_0", "test_cli.py -k cannot_be_written",
     (OUTPUT, "	if (!fflush(stdout) && !failed)", "	fflush(stdout);\n"
      "	if (1)")),
    ("what_was_not_written_is_forgotten", "test_operator_odd.py -k nobody_can_read",
     (OUTPUT, "	if (!fflush(stdout) && !failed)",
      "	if (!fflush(stdout))")),
    ("a_wrong_word_is_status_0", "test_cli.py -k status_2",
     ("src/cli/main.c", "	if (!command)\n		return EXIT_USAGE;\n"
      "	status", "	if (!command)\n		return EXIT_DONE;\n"
      "	status")),
    ("a_word_too_many_is_left_out", "test_cli.py -k wrong_word",
     (ARGUMENTS, "	if (!status && optind < argc)", "	if (0)")),
    # What is set for frameworks, and what is the user's.
    ("a_choice_is_overwritten", "test_frameworks.py -k left_and_told",
     (FRAMEWORKS, "	return other ? other->name : NULL;",
      "	return other && 0 ? other->name : NULL;")),
    ("a_choice_by_another_variable_is_overwritten",
     "test_frameworks.py -k left_and_told",
     (FRAMEWORKS, "		if (value_of(framework->bars[i]))", "		if (0)")),
    ("a_list_is_lost", "test_frameworks.py -k not_lost",
     (FRAMEWORKS, "variable->is_list ? value_read(variable) : NULL;",
      "variable->is_list && 0 ? value_read(variable) : NULL;")),
    ("an_older_name_is_not_read", "test_frameworks.py -k not_lost",
     (FRAMEWORKS, "	return value ? value : value_of(variable->older);",
      "	return value;")),
    ("what_is_costly_is_set_for_all", "test_frameworks.py -k to_be_named",
     (FRAMEWORKS, ' && !frameworks[i].is_costly;', ";")),
    # What doctor says.
    ("an_advice_is_printed_as_it_is", "test_doctor.py -k plain_text",
     ("src/cli/doctor/report.c", "	text_plain(advice, way, sizeof(way));\n",
      "	snprintf(way, sizeof(way), \"%s\", advice);\n")),
    ("a_virtual_environment_is_looked_for_by_its_name",
     "test_doctor_odd.py -k from_inside",
     ("src/cli/doctor/python.c", " || !realpath(mark, prefix))",
      " || !strcpy(prefix, path))")),
    ("a_folder_in_path_is_a_program", "test_doctor_odd.py -k passed_over",
     ("src/cli/doctor/program.c", " && S_ISREG(st.st_mode);", ";")),
    ("a_crash_of_the_loader_is_not_told", "test_doctor_odd.py -k crashes",
     ("src/cli/doctor/libraries.c", "	else if (WIFSIGNALED(child.status))",
      "	else if (false)")),
    ("what_sh_works_out_is_taken_for_a_path", "test_doctor.py -k to_work_out",
     ("src/cli/doctor/script.c", ' && !strpbrk(word, "$`")', "")),
    ("what_is_left_to_cuda_is_called_served",
     "test_frameworks.py -k left_to_cuda",
     ("src/cli/doctor/variables.c", "&answers[frameworks_are_left()]",
      "&answers[0]")),
    ("what_does_not_go_with_it_is_not_seen",
     "test_frameworks.py -k does_not_go_with_it",
     (FRAMEWORKS, "	return framework_bar(framework) ? NULL",
      "	return variable_find(framework, STATE_OTHER) ? NULL")),
    ("a_terminal_obeys_a_name_in_an_error", "test_cli.py -k obeyed",
     ("src/cli/failure.c",
      "fputs(text_plain(text, text, strlen(text) + 1), stderr);",
      "fputs(text, stderr);")),
    ("an_export_goes_on_after_ctrl_c", "test_exports.py -k ctrl_c",
     ("src/cli/plan/replacement.c",
      "	return *replacement->beside && !sigpending(&waits) &&",
      "	return false && !sigpending(&waits) &&")),
    ("an_export_frees_on_another_device", "test_exports.py -k frees_a_block",
     ("src/cli/export/export_run.c",
      "		told.device = block->event.device;\n	if (!is_meant(",
      "		told.device = event->device;\n	if (!is_meant(")),
]
