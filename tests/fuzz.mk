# The targets of `make fuzz`, see tests/fuzz/README.md. If FUZZER is set,
# libFuzzer's main program replaces the one that replays the corpus.
FUZZ      := $(addprefix $(BUILD)/tests/fuzz/,request options trace profile \
	fault answer plan plan_file recording import ptx)
FUZZ_PARTS := $(addprefix $(BUILD)/obj/tests/fuzz/,fuzz.o \
	$(if $(FUZZER),,replay.o))
FUZZ_LINK := $(if $(FUZZER),-fsanitize=fuzzer)

ifdef FUZZER
SANFLAGS += -fsanitize=fuzzer-no-link -fno-sanitize-recover=undefined
endif

CHECK += $(FUZZ)
.PHONY: fuzz fuzz-build
fuzz-build: $(FUZZ)

fuzz:
	@scripts/setup --dev
	@$(MAKE) --no-print-directory CC=clang SAN=address,undefined FUZZER=1 \
		BUILD=build/fuzz fuzz-build
	@scripts/fuzz build/fuzz

# Targets that include a source of the simulated driver.
$(addprefix $(BUILD)/obj/tests/fuzz/,profile.o fault.o): \
	CPPFLAGS += -Isrc/sim/driver -I$(SIM_DRIVER_GEN)
$(BUILD)/obj/tests/fuzz/fault.o: $(SIM_DRIVER_GEN)/stamp

$(BUILD)/tests/fuzz/request: $(filter-out %/listener.o,$(CORE_OBJ) $(POOL_OBJ) \
	$(COMMON_OBJ) $(call sources,src/cuda/*.c src/preload/*.c \
		src/control/*.c))
$(BUILD)/tests/fuzz/options: $(COMMON_OBJ) $(POOL_OBJ)
$(BUILD)/tests/fuzz/trace: $(TRACE_OBJ)
$(BUILD)/tests/fuzz/plan: $(COMMON_OBJ) $(POOL_OBJ) $(TRACE_OBJ) \
	$(READER_OBJ) $(call sources,src/cli/failure.c \
		src/cli/export/live_blocks.c src/cli/plan/lifetimes*.c)
$(BUILD)/tests/fuzz/plan_file: $(PLAN_OBJ)
$(BUILD)/tests/fuzz/recording: $(READER_OBJ) $(BUILD)/obj/src/record/frame_write.o
$(BUILD)/tests/fuzz/import: $(COMMON_OBJ) $(TRACE_OBJ) $(READER_OBJ) \
	$(BUILD)/obj/src/record/frame_write.o $(call sources,src/cli/failure.c \
		src/cli/progress.c src/cli/import/events.c src/cli/import/fields.c \
		src/cli/import/csv.c src/cli/import/rmm.c src/cli/import/trace.c \
		src/cli/import/import_file.c src/cli/import/p*.c \
		src/cli/import/torch*.c src/cli/export/kinds.c)
$(BUILD)/tests/fuzz/ptx: $(SIM_PTX_OBJ)
$(BUILD)/tests/fuzz/answer: $(filter-out %/main.o,$(CLI_OBJ))
$(BUILD)/tests/fuzz/answer: FUZZ_LINK += $(addprefix -Wl$(comma)--wrap=,\
	jobs_find jobs_find_one job_reconnect) \
	-l:libncursesw.a -l:libtinfo.a

$(FUZZ): $(BUILD)/tests/fuzz/%: $(BUILD)/obj/tests/fuzz/%.o $(FUZZ_PARTS)
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $^ $(FUZZ_LINK) -l:libjansson.a -lzstd \
		-lm -ldl -pthread -o $@
