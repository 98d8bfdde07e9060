# What `make bench` runs: programs that measure any contender, and for each
# contender a shared object that they load (tests/bench/allocator.h).
BENCH_DIR    := $(BUILD)/bench
BENCH_WAYS   := $(addprefix $(BENCH_DIR)/,pair held asked starts)
BENCH_ALONE  := $(addprefix $(BENCH_DIR)/,host.so nothing.so count_malloc.so)
BENCH_CUDA   := $(addprefix $(BENCH_DIR)/,cuda_runtime.so cuda_async.so \
	cuda_static.so cuda_driver.so driver_async.so \
	driver_events.so events.so)
BENCH_SHARED  = $(CC) -shared $(SANFLAGS) $(LDFLAGS) $(filter %.o,$^)
BENCH_PARTS  := $(TRACE_OBJ) $(addprefix $(BUILD)/obj/tests/bench/,ask.o \
	contender.o crew.o handoff.o replay.o script.o shared.o streams.o \
	work.o)
BENCH_PLAYS  := $(BENCH_DIR)/contents $(BENCH_DIR)/batch
BENCH_PLAN   := $(BENCH_DIR)/plan_reference $(BENCH_DIR)/plan_tiling
BENCH        := $(BENCH_PLAN) $(BENCH_WAYS) $(BENCH_PLAYS) $(BENCH_ALONE) $(BENCH_CUDA) \
	$(BUILD)/tests/programs/churn

CHECK += $(BENCH) $(BENCH_DIR)/periods

$(BENCH_WAYS): $(BENCH_DIR)/%: $(BUILD)/obj/tests/bench/%.o $(BENCH_PARTS)
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $^ -lzstd -ldl -pthread -o $@

$(BENCH_DIR)/plan_tiling: $(BUILD)/obj/tests/bench/tilings.o
$(BENCH_PLAN): $(BENCH_DIR)/%: $(BUILD)/obj/tests/bench/%.o
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $^ -o $@

$(BENCH_PLAYS): $(BENCH_DIR)/%: $(BUILD)/obj/tests/bench/%.o $(BUILD)/sim/libcuda.so \
		$(TRACE_OBJ) $(addprefix $(BUILD)/obj/tests/bench/,contender.o \
		crew.o script.o)
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $(filter %.o,$^) -L$(BUILD)/sim \
		-lcuda -lzstd -ldl -pthread -o $@

# Which periods are found in traces, and what that costs.
$(BENCH_DIR)/periods: $(BUILD)/obj/tests/bench/periods.o $(TRACE_OBJ) $(PLAN_OBJ)
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $^ -lzstd -o $@

# A contender's driver exports everything.
$(patsubst $(BENCH_DIR)/%.so,$(BUILD)/obj/tests/bench/%.o,$(BENCH_ALONE) \
	$(BENCH_CUDA)): CFLAGS += -fvisibility=default

$(BENCH_ALONE): $(BENCH_DIR)/%.so: $(BUILD)/obj/tests/bench/%.o
	$(call SAY,link  )
	$(Q)$(BENCH_SHARED) -o $@

$(BENCH_DIR)/cuda_runtime.so $(BENCH_DIR)/cuda_async.so \
$(BENCH_DIR)/events.so: $(BENCH_DIR)/%.so: $(BUILD)/obj/tests/bench/%.o \
		$(BUILD)/sim/libcudart.so.13
	$(call SAY,link  )
	$(Q)$(BENCH_SHARED) -L$(BUILD)/sim -lcudart -o $@

# The runtime's names stay inside, as in a program that nvcc links.
$(BENCH_DIR)/cuda_static.so: $(BUILD)/obj/tests/bench/cuda_runtime.o \
		$(BUILD)/sim/cudart_static.o
	$(call SAY,link  )
	$(Q)$(BENCH_SHARED) -Wl,-Bsymbolic -pthread -ldl -o $@

$(BENCH_DIR)/cuda_driver.so $(BENCH_DIR)/driver_async.so \
$(BENCH_DIR)/driver_events.so: $(BENCH_DIR)/%.so: \
		$(BUILD)/obj/tests/bench/%.o $(BUILD)/sim/libcuda.so
	$(call SAY,link  )
	$(Q)$(BENCH_SHARED) -L$(BUILD)/sim -lcuda -o $@
