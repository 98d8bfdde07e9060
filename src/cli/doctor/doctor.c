/* mnm doctor: does mnm work here? */
#include <stdio.h>
#include <stdlib.h>

#include "../cli.h"
#include "check.h"
#include "probe.h"

typedef void check_function(struct report *report);

static check_function *const checks[] = {
	library_check,    preloads_check, plugins_check, options_check,
	allocators_check, sockets_check,  limits_check,  container_check,
	toolkit_check,    proof_check,
};

int doctor_run(const struct command *command, const struct arguments *arguments)
{
	struct report report = {NULL, false};

	(void)command;
	if (arguments->probe)
		return probe_run();
	if (arguments->json)
		report.findings = json_array();
	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++)
		checks[i](&report);
	if (arguments->program)
		program_check(&report, arguments->program[0]);
	if (arguments->json) {
		json_dumpf(report.findings, stdout, JSON_COMPACT);
		putchar('\n');
		json_decref(report.findings);
	}
	return report.problem ? EXIT_FAILED : EXIT_DONE;
}
