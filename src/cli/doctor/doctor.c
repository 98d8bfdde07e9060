/* mnm doctor: will it work here? */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "../cli.h"
#include "check.h"
#include "probe.h"

typedef void check_function(struct report *report);

static check_function *const checks[] = {
	library_check,    preloads_check, options_check,
	allocators_check, sockets_check,  limits_check,
	container_check,  toolkit_check,  proof_check,
};

struct doctor {
	bool json, probe;
	const char *program; /* NULL: the environment alone */
};

/* The status to exit with, or EXIT_DONE. */
static int doctor_read(const struct command *command, int argc, char **argv,
		       struct doctor *doctor)
{
	static const struct option options[] = {
		{"json", no_argument, NULL, 'j'},
		{"probe", no_argument, NULL, 'p'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "+h", options, NULL)) != -1) {
		if (option == 'h') {
			command_help(command);
			return EXIT_HELPED;
		}
		if (option == '?')
			return usage_error(command, "'%s' is not understood",
					   argv[optind - 1]);
		doctor->json |= option == 'j';
		doctor->probe |= option == 'p';
	}
	doctor->program = argv[optind];
	return EXIT_DONE;
}

int doctor_run(const struct command *command, int argc, char **argv)
{
	struct doctor doctor = {false, false, NULL};
	struct report report = {NULL, false};
	int status = doctor_read(command, argc, argv, &doctor);

	if (status)
		return status;
	if (doctor.probe)
		return probe_run();
	if (doctor.json)
		report.findings = json_array();
	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++)
		checks[i](&report);
	if (doctor.program)
		program_check(&report, doctor.program);
	if (doctor.json) {
		json_dumpf(report.findings, stdout, JSON_COMPACT);
		putchar('\n');
		json_decref(report.findings);
	}
	return report.problem ? EXIT_FAILED : EXIT_DONE;
}
