# mnm: memory pools under unmodified CUDA programs
#   make demo    set up, build, run the main job on a GPU or the simulated one
#   make check   set up, build, run every test   [SAN=address,undefined|thread]
#   make quick   build, run the tests of what you changed
#                [BASE=main: since when] [FILES=...: instead of what git says]
#   make lint    clang-tidy, cppcheck, shellcheck, ruff and codespell
#   make         build only
#   make soak    generated programs until it is interrupted
#   make aarch64 the library for aarch64, by a cross compiler
#   make mutants the tests notice each guard that is left out
#   make sweep   each driver call fails in turn, in each example program
#   make coverage  which lines and branches of src/ the tests reach
#   make fuzz    the parsers, on generated input      [FUZZ_SECONDS=60 each]
#   make bench   what an allocation costs, beside other allocators
#   make bench-plan  how well and how fast lifetimes are placed
#   make bench-tstack  what memory tstack_pool takes for a plan
#   make guests  test suites of others, alone and under mnm: no difference
#   make format  clang-format of every source
#   make clean   removes what was built
#   make install | uninstall [PREFIX=/usr/local] [DESTDIR=]
#   make help    this text
# V=1 shows the commands.

# The first that holds a compiler; scripts/setup makes build/cuda if none does.
CUDA_HOME := $(firstword $(patsubst %/bin/nvcc,%,$(wildcard $(addsuffix \
	/bin/nvcc,$(CUDA_HOME) build/cuda /usr/local/cuda))) /usr/local/cuda)
ifeq ($(origin CC),default)
CC        := gcc
endif
NVCC      ?= $(CUDA_HOME)/bin/nvcc
PREFIX    ?= /usr/local
SAN       ?=
COVERAGE  ?=
comma     := ,
BUILD     ?= $(if $(SAN),build/$(subst $(comma),-,$(SAN)),$(if \
	$(COVERAGE),build/coverage,build))

SANFLAGS  := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer)
WARN      := -Wall -Wextra -Werror -Wmissing-prototypes -Wstrict-prototypes
# Without memory, uthash's tables stay as they are; else it ends the process.
CPPFLAGS  += -D_GNU_SOURCE -DHASH_NONFATAL_OOM=1 -Isrc -Iinclude \
	-isystem $(CUDA_HOME)/include
OPTIMISE   = -O2 -g
CFLAGS    += -std=gnu11 $(OPTIMISE) $(WARN) -fPIC -fvisibility=hidden
DEPS       = -MMD -MP
MACHINE   := $(shell $(CC) -dumpmachine 2>/dev/null)
COMPILE    = $(CC) $(CPPFLAGS) $(CFLAGS) $(SANFLAGS) $(DEPS) -c $< -o $@
# The same for an object with entries of CUDA; see src/hooks/entry.h.
COMPILE_ENTRIES = $(CC) $(CPPFLAGS) $(CFLAGS) $(SANFLAGS) $(DEPS) -MT $@ \
	-S $< -o $(@:.o=.s) && \
	awk -v machine=$(MACHINE) -f src/common/entry.awk $(@:.o=.s) \
		>$(@:.o=.begun.s) && \
	$(CC) -c $(@:.o=.begun.s) -o $@
# As many commands at a time as there are processors; -j on the command line
# says otherwise. A make that began this one has decided.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif
V         ?=
Q         := $(if $(V),,@)
SAY        = @mkdir -p $(@D)$(if $(V),,; echo "  $(1) $@")

.DEFAULT_GOAL := all
.PHONY: all demo check quick lint generated build-check build-tests bench \
	bench-plan bench-tstack guests mutants sweep coverage format install uninstall clean setup help
.SECONDARY:
.DELETE_ON_ERROR:

include $(wildcard src/*.mk src/*/*.mk examples/*.mk tests/*.mk)

all: $(ALL)
build-check: all $(CHECK)
# Without what is for another machine.
build-tests: all $(filter-out aarch64,$(CHECK))

$(ENTRY_OBJ): COMPILE = $(COMPILE_ENTRIES)
$(ENTRY_OBJ): src/common/entry.awk

$(BUILD)/obj/%.o: %.c
	$(call SAY,cc    )
	$(Q)$(COMPILE)

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile

setup:
	@scripts/setup

demo:
	@scripts/setup
	@$(MAKE) --no-print-directory all
	@BUILD=$(BUILD) CUDA_HOME=$(CUDA_HOME) scripts/demo

check:
	@scripts/setup --tests
	@$(MAKE) --no-print-directory build-check
	@scripts/check $(BUILD)

quick:
	@BUILD=$(BUILD) scripts/quick $(if $(BASE),--base $(BASE)) $(FILES)

# The sources that are written by a script.
generated: $(WORK_GEN)/stamp $(SIM_DRIVER_GEN)/stamp $(ROWS_GEN)/stamp

lint:
	@BUILD=$(BUILD) /usr/bin/python3 scripts/lint

bench:
	@scripts/setup
	@$(MAKE) --no-print-directory all $(BENCH)
	@CUDA_HOME=$(CUDA_HOME) scripts/bench $(BUILD)
	@scripts/bench-fences $(BUILD)
	@scripts/bench-swaps $(BUILD)
	@scripts/bench-memory $(BUILD)

bench-plan:
	@scripts/setup
	@$(MAKE) --no-print-directory $(BUILD)/mnm $(BENCH_PLAN)
	@scripts/bench-plan $(BUILD)

bench-tstack: all
	@scripts/bench-tstack $(BUILD)

guests:
	@scripts/setup --guests
	@$(MAKE) --no-print-directory all
	@CUDA_HOME=$(CUDA_HOME) scripts/guests $(BUILD)

sweep:
	@scripts/setup --tests
	@$(MAKE) --no-print-directory build-check
	@MNM_BUILD=$(abspath $(BUILD)) SWEEP_STEP=1 /usr/bin/python3 -B -m \
		pytest -q -n 2 -p no:cacheprovider tests/behaviour/test_sweep.py

coverage:
	@scripts/setup --dev
	@$(MAKE) --no-print-directory COVERAGE=1 build-check
	@scripts/coverage $(if $(COVERAGE),$(BUILD),build/coverage)

mutants:
	@scripts/setup --tests
	@$(MAKE) --no-print-directory build-check
	@scripts/mutants $(BUILD)
	@scripts/check-model $(BUILD) --guards

format:
	clang-format -i $$(git ls-files -co --exclude-standard '*.c' '*.h' \
		'*.cu' '*.cuh' '*.cpp')

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
