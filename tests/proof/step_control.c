/* The requests that a person makes of mnm while the program runs. */
#include <stdio.h>
#include <string.h>

#include "choice.h"
#include "model.h"
#include "run.h"
#include "step.h"

static void ask(const struct step *step, const char *words)
{
	char answer[8192];

	if (run.native || !control_ask(words, answer, sizeof(answer)))
		return; /* nobody listens before the first allocation */
	if (!*answer || strstr(answer, "\"error\":"))
		run_failed(step, "%s: %s", words, answer);
}

/* In a full program all that is asked for has to fit, so a pool that rounds up
 * to more than pages takes no part. */
bool draw_swap(struct program *program, struct step *step)
{
	step->choice =
		choice_draw(&program->random, program->setting.kind == FULL);
	if (program->setting.kind == LAPS && random_one_in(&program->random, 2))
		step->choice = choice_find("tstack_pool");
	return true;
}

/* What a pool has planned is forgotten with it. */
static void plan_look(void)
{
	char answer[8192];

	if (run_may_plan() && control_ask("stat", answer, sizeof(answer)))
		run_plan_note(answer);
}

void run_swap(const struct step *step)
{
	char line[64];

	plan_look();
	snprintf(line, sizeof(line), "swap %s", choices[step->choice]);
	ask(step, line);
	__atomic_add_fetch(&run.tally->swaps, 1, __ATOMIC_RELAXED);
}

bool draw_trim(struct program *program, struct step *step)
{
	(void)program;
	(void)step;
	return true;
}

void run_trim(const struct step *step)
{
	ask(step, "trim");
}

bool draw_mark(struct program *program, struct step *step)
{
	return draw_trim(program, step);
}

void run_mark(const struct step *step)
{
	ask(step, "mark");
}

bool draw_reset(struct program *program, struct step *step)
{
	return draw_trim(program, step);
}

void run_reset(const struct step *step)
{
	ask(step, "reset");
}

bool draw_level(struct program *program, struct step *step)
{
	step->choice = random_below(&program->random, 2);
	return true;
}

void run_level(const struct step *step)
{
	if (run.program->setting.level_fixed)
		return;
	ask(step, step->choice ? "set fence fence" : "set fence sync");
}

bool draw_quarantine(struct program *program, struct step *step)
{
	step->choice = random_below(&program->random, 26);
	return true;
}

void run_quarantine(const struct step *step)
{
	char line[64];

	snprintf(line, sizeof(line), "set quarantine %u",
		 step->choice < 10 ? 0u : 1u << step->choice);
	ask(step, line);
}

bool draw_stat(struct program *program, struct step *step)
{
	return draw_trim(program, step);
}

void run_stat(const struct step *step)
{
	ask(step, "stat");
}
