# What finds out which requests of a program repeat, and follows them.

PERIOD_OBJ := $(addprefix $(BUILD)/obj/src/plan/,cycle.o finder_rough.o \
	finder_runs.o follow.o history.o period.o)
