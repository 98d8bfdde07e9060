# The library, the command line and the simulated driver for aarch64, built by
# Debian's cross compiler with static libraries that scripts/setup has fetched.
# tests/behaviour/test_aarch64.py runs them under qemu.
AARCH64_CC   := aarch64-linux-gnu-gcc
AARCH64_LIBS := build/aarch64-libs
AARCH64      := $(BUILD)/aarch64
AARCH64_OUT  := $(SIM_PROFILES:$(BUILD)/%=$(AARCH64)/%) \
	$(addprefix $(AARCH64)/,libmnm.so mnm sim/libcuda.so.1 \
	$(addprefix tests/programs/,door shell_driver next next_answer.so))

.PHONY: aarch64
ifeq ($(SAN),)
ifneq ($(and $(shell command -v $(AARCH64_CC)),$(wildcard \
	$(AARCH64_LIBS)/libtinfo.a)),)
CHECK += aarch64
endif
endif

# Two files in three are not of the library; they only have to run, and are soon
# compiled so.
AARCH64_OPTIMISE = $(if $(filter src/sim/% src/cli/% src/plan/%,$<),-O0,-O2)

# Headers that are the same everywhere come from this machine, searched last.
aarch64:
	@CPPFLAGS="-idirafter /usr/include" LDFLAGS="-L$(AARCH64_LIBS)" \
		$(MAKE) -s --no-print-directory CC=$(AARCH64_CC) SAN= \
		BUILD=$(AARCH64) OPTIMISE='$(value AARCH64_OPTIMISE)' \
		$(AARCH64_OUT)
