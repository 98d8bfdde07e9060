# CUDA programs that the behaviour tests run under the preload. `shell` makes
# the calls that its input names. It is built in each form that CUDA comes in.
# shell_nvidia, with NVIDIA's own static runtime, is for scripts/gpu-check.

PROGRAMS := $(addprefix $(BUILD)/tests/programs/,shell_shared shell_static \
	shell_nvidia \
	shell_driver shell_plugin.so plugin_host churn relay late_work releases \
	short_retains door guest \
	interleave jitted reuse reuse.kernels.so reuse_host reuse_mapped \
	reuse_pool reuse_values reuse_values.kernels.so late_values \
	late_values.kernels.so)
SHELL_OBJ := $(addprefix $(BUILD)/obj/tests/programs/,shell.o shell_process.o \
	shell_threads.o)

CHECK += $(PROGRAMS)

$(BUILD)/tests/programs/late_values.kernels.so: \
		$(BUILD)/tests/programs/reuse_values.kernels.so
	@cp $< $@

CHECK += $(addprefix $(BUILD)/tests/programs/,stacks librmm_test.so)
$(BUILD)/tests/programs/stacks: $(BUILD)/obj/tests/programs/stacks.o
	$(call SAY,link  )
	$(Q)$(NVCC_LINK) $^ -Xcompiler -rdynamic -o $@
$(BUILD)/tests/programs/librmm_test.so: $(BUILD)/obj/tests/programs/librmm_test.o
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) -shared $^ -o $@

$(BUILD)/tests/programs/shell_static: NVCC_CUDART := none
$(BUILD)/tests/programs/shell_static: $(BUILD)/sim/cudart_static.o
$(BUILD)/tests/programs/shell_nvidia: NVCC_CUDART := static
$(BUILD)/tests/programs/shell_shared $(BUILD)/tests/programs/shell_static \
$(BUILD)/tests/programs/shell_nvidia: \
		$(SHELL_OBJ) $(BUILD)/obj/tests/programs/shell_main.o \
		$(BUILD)/obj/tests/programs/shell_runtime.o
	$(call SAY,link  )
	$(Q)$(NVCC_LINK) $^ -o $@

$(BUILD)/tests/programs/shell_plugin.so: $(SHELL_OBJ) \
		$(BUILD)/obj/tests/programs/shell_runtime.o
	$(call SAY,link  )
	$(Q)$(NVCC_LINK) -shared $^ -o $@

$(BUILD)/tests/programs/shell_driver: $(SHELL_OBJ) \
		$(BUILD)/obj/tests/programs/shell_main.o \
		$(BUILD)/obj/tests/programs/shell_driver.o \
		$(BUILD)/obj/tests/programs/shell_graphs.o \
		$(BUILD)/obj/tests/programs/shell_pinned.o \
		$(BUILD)/obj/tests/programs/shell_answers.o \
		$(BUILD)/obj/tests/programs/shell_green.o \
		$(BUILD)/obj/tests/programs/shell_doors.o \
		$(BUILD)/obj/tests/programs/shell_visits.o \
		$(BUILD)/obj/tests/programs/shell_kinds.o \
		$(BUILD)/obj/tests/programs/shell_ipc.o \
		$(BUILD)/obj/tests/programs/shell_api.o \
		$(BUILD)/obj/tests/programs/shell_mempools.o \
		$(BUILD)/sim/libcuda.so
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $(filter %.o,$^) -L$(BUILD)/sim \
		-lcuda -pthread -o $@

RUNTIME_PROGRAMS := $(addprefix $(BUILD)/tests/programs/,churn relay late_work \
	releases short_retains jitted)
$(RUNTIME_PROGRAMS): $(BUILD)/tests/programs/%: $(BUILD)/obj/tests/programs/%.o
	$(call SAY,link  )
	$(Q)$(NVCC_LINK) $^ -o $@

# Its functions for locks and allocations replace libc's, for the libraries as
# well.
COUNTERS := $(addprefix $(BUILD)/tests/programs/,warm_pairs roomy_pairs)
CHECK += $(COUNTERS)
$(COUNTERS): $(BUILD)/tests/programs/%: $(BUILD)/obj/tests/programs/%.o
	$(call SAY,link  )
	$(Q)$(NVCC_LINK) $^ -Xcompiler -rdynamic -o $@

DRIVER_PROGRAMS := $(addprefix $(BUILD)/tests/programs/,sharers waker ordered \
	plugged recorder forks_beside)
CHECK += $(DRIVER_PROGRAMS)
$(BUILD)/tests/programs/ordered: $(patsubst %,\
	$(BUILD)/obj/tests/programs/ordered_%.o,streams legacy marks launches events \
	devices pools figures larger peers room waits captures unseen guards) \
	$(BUILD)/obj/src/preload/elf_symbol.o
$(DRIVER_PROGRAMS): $(BUILD)/tests/programs/%: $(BUILD)/obj/tests/programs/%.o \
		$(BUILD)/sim/libcuda.so
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $(filter %.o,$^) -L$(BUILD)/sim \
		-lcuda -ldl -pthread -rdynamic -o $@

CHECK += $(BUILD)/tests/programs/alone_again
$(BUILD)/tests/programs/alone_again: $(BUILD)/obj/tests/programs/alone_again.o \
		$(BUILD)/sim/libcuda.so
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $(filter %.o,$^) -L$(BUILD)/sim \
		-lcuda -ldl -pthread -rdynamic -o $@

$(BUILD)/tests/programs/plugin_host $(BUILD)/tests/programs/door \
$(BUILD)/tests/programs/inner_door: \
$(BUILD)/tests/programs/%: $(BUILD)/obj/tests/programs/%.o
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $^ -pthread -o $@

CHECK += $(BUILD)/tests/programs/past_end
$(BUILD)/tests/programs/past_end: $(BUILD)/obj/tests/programs/past_end.o \
		$(BUILD)/sim/libcuda.so
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $(filter %.o,$^) -L$(BUILD)/sim \
		-lcuda -o $@

# Their own malloc has to be seen by mnm.
MALLOCS := $(addprefix $(BUILD)/tests/programs/,runs_out guarded_malloc)
CHECK += $(MALLOCS)
$(MALLOCS): $(BUILD)/tests/programs/%: $(BUILD)/obj/tests/programs/%.o \
		$(BUILD)/sim/libcuda.so $(BUILD)/sim/libcudart.so.13
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) -rdynamic $< -L$(BUILD)/sim \
		-lcudart -lcuda -pthread -o $@

CHECK += $(BUILD)/tests/programs/resource_threads
$(BUILD)/tests/programs/resource_threads: tests/programs/resource_threads.cpp \
		$(BUILD)/sim/libcudart.so.13
	$(call SAY,c++   )
	@mkdir -p $(BUILD)/obj/tests/programs
	$(Q)$(CXX) -std=gnu++17 -O2 -g -Wall -Wextra -Werror $(SANFLAGS) \
		-Iinclude -isystem $(CUDA_HOME)/include \
		-isystem $(CUDA_HOME)/include/cccl \
		-MMD -MP -MF $(BUILD)/obj/tests/programs/$(@F).d -MT $@ \
		$< -L$(BUILD)/sim -lcudart -ldl -pthread -o $@

CHECK += $(BUILD)/tests/programs/sites
$(BUILD)/tests/programs/guest $(BUILD)/tests/programs/sites: \
$(BUILD)/tests/programs/%: $(BUILD)/obj/tests/programs/%.o \
		$(BUILD)/sim/libcuda.so
	$(call SAY,link  )
	$(Q)$(NVCC_LINK) $(filter %.o,$^) -L$(BUILD)/sim -lcuda -o $@

CHECK += $(BUILD)/tests/programs/beside
$(BUILD)/obj/tests/programs/beside_ends.o: CFLAGS += \
	-Wno-deprecated-declarations
$(BUILD)/tests/programs/beside: $(BUILD)/obj/tests/programs/beside.o \
		$(BUILD)/obj/tests/programs/beside_ends.o \
		$(BUILD)/obj/tests/programs/beside_frees.o \
		$(BUILD)/obj/tests/programs/beside_waits.o \
		$(BUILD)/sim/libcuda.so
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $(filter %.o,$^) -L$(BUILD)/sim \
		-lcuda -pthread -o $@

SIM_PROGRAMS := $(addprefix $(BUILD)/tests/programs/,interleave reuse reuse_host \
	reuse_mapped reuse_pool reuse_values late_values many_streams \
	taken_over nvtx_ranges nvtx_forks nvtx_inside range_requests \
	recorded_forks)
$(SIM_PROGRAMS): $(BUILD)/tests/programs/%: $(BUILD)/obj/tests/programs/%.o \
		$(BUILD)/sim/libcuda.so
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $(filter %.o,$^) -L$(BUILD)/sim \
		-lcuda -pthread -o $@

# The simulated driver, with other entries in some places.
OTHER     := $(BUILD)/tests/programs/other/libcuda.so.1
OTHER_NEW := $(addprefix $(BUILD)/tests/programs/other/,entries.o stubs.o)
OTHER_OBJ := $(filter-out %/entries.o %/stubs.o,$(SIM_DRIVER_OBJ)) \
	$(SIM_PTX_OBJ) $(OTHER_NEW) $(BUILD)/obj/tests/programs/other_driver.o
CHECK += $(OTHER) $(addprefix $(BUILD)/tests/programs/,many_streams taken_over \
	nvtx_ranges nvtx_forks nvtx_inside range_requests recorded_forks)
$(OTHER_NEW): $(BUILD)/tests/programs/other/%: \
		$(BUILD)/obj/$(SIM_DRIVER_GEN)/% tests/programs.mk
	$(call SAY,rename)
	$(Q)objcopy $(foreach name,cuGetProcAddress_v2 cuCtxRecordEvent \
		cuMulticastBindAddr cuMemGetHandleForAddressRange \
		cuMemAddressReserve cuMemAlloc_v2 cuCtxDestroy_v2, \
		--redefine-sym $(name)=base_$(name)) $< $@
$(OTHER): $(OTHER_OBJ) src/sim/driver/exports.map
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) -shared -Wl,-Bsymbolic -pthread \
		-Wl,-soname,libcuda.so.1 -Wl,-z,nodelete \
		-Wl,--version-script=src/sim/driver/exports.map \
		$(if $(SAN),,-Wl,-z,defs) $(OTHER_OBJ) -lm -o $@

INNER := $(BUILD)/tests/programs/inner/libcuda.so.1
CHECK += $(INNER) $(BUILD)/tests/programs/inner_door
$(INNER): $(BUILD)/obj/tests/programs/inner_driver.o
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) -shared -Wl,-Bsymbolic \
		-Wl,-soname,libcuda.so.1 $^ -o $@

# Other libraries that are preloaded beside mnm, and programs that do odd
# things with CUDA's entries, with processes and with their ends.
GUESTS := $(addprefix $(BUILD)/tests/programs/,scarce.so hurry.so other_dlsym.so \
	start_tool.so taker.so nvtx_tool.so nvtx_behind.so patch_all.so leaver family resident patcher \
	inside shell_asan)
CHECK += $(GUESTS)
$(BUILD)/tests/programs/scarce.so $(BUILD)/tests/programs/hurry.so \
$(BUILD)/tests/programs/other_dlsym.so \
$(BUILD)/tests/programs/start_tool.so $(BUILD)/tests/programs/taker.so \
$(BUILD)/tests/programs/nvtx_behind.so $(BUILD)/tests/programs/nvtx_tool.so: \
$(BUILD)/tests/programs/%.so: $(BUILD)/obj/tests/programs/%.o
	$(call SAY,link  )
	$(Q)$(CC) $(LDFLAGS) -shared $^ -o $@
$(BUILD)/obj/tests/programs/scarce.o $(BUILD)/obj/tests/programs/other_dlsym.o \
$(BUILD)/obj/tests/programs/start_tool.o $(BUILD)/obj/tests/programs/patch_all.o \
$(BUILD)/obj/tests/programs/relocate.o $(BUILD)/obj/tests/programs/taker.o \
$(BUILD)/obj/tests/programs/hurry.o \
$(BUILD)/obj/tests/programs/nvtx_behind.o \
$(BUILD)/obj/tests/programs/nvtx_tool.o: SANFLAGS :=

$(BUILD)/tests/programs/leaver $(BUILD)/tests/programs/family \
$(BUILD)/tests/programs/resident: \
$(BUILD)/tests/programs/%: $(BUILD)/obj/tests/programs/%.o
	$(call SAY,link  )
	$(Q)$(NVCC_LINK) $^ -o $@

$(BUILD)/tests/programs/patcher $(BUILD)/tests/programs/inside: \
$(BUILD)/tests/programs/%: $(BUILD)/obj/tests/programs/%.o \
		$(BUILD)/obj/tests/programs/relocate.o $(BUILD)/sim/libcuda.so
	$(call SAY,link  )
	$(Q)$(NVCC_LINK) $(filter %.o,$^) -L$(BUILD)/sim -lcuda -o $@

$(BUILD)/tests/programs/patch_all.so: $(addprefix \
		$(BUILD)/obj/tests/programs/,patch_all.o relocate.o)
	$(call SAY,link  )
	$(Q)$(CC) $(LDFLAGS) -shared $^ -o $@

# This has AddressSanitizer's runtime in it, whichever compiler builds mnm.
$(BUILD)/tests/programs/shell_asan: $(filter-out %/shell_runtime.c, \
		$(wildcard tests/programs/shell*.c)) $(BUILD)/sim/libcuda.so
	$(call SAY,cc    )
	$(Q)gcc $(CPPFLAGS) $(CFLAGS) -fsanitize=address -static-libasan \
		$(filter %.c,$^) -L$(BUILD)/sim -lcuda -pthread -o $@

# The program exports the function that the library's constructor calls.
IN_CONSTRUCTOR := $(addprefix $(BUILD)/tests/programs/,late_runtime \
	first_requests)
CHECK += $(IN_CONSTRUCTOR) $(BUILD)/tests/programs/constructor.so
$(IN_CONSTRUCTOR): $(BUILD)/tests/programs/%: $(BUILD)/obj/tests/programs/%.o \
		$(BUILD)/sim/libcuda.so
	$(call SAY,link  )
	$(Q)$(NVCC_LINK) $(filter %.o,$^) -L$(BUILD)/sim -lcuda \
		-Xcompiler -rdynamic -o $@
$(BUILD)/tests/programs/constructor.so: $(BUILD)/obj/tests/programs/constructor.o
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) -shared $^ -o $@

CHECK += $(BUILD)/tests/programs/next $(BUILD)/tests/programs/next_answer.so
$(BUILD)/tests/programs/next: $(BUILD)/obj/tests/programs/next.o
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $^ -o $@
$(BUILD)/tests/programs/next_answer.so: $(BUILD)/obj/tests/programs/next_answer.o
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) -shared $^ -o $@

# Programs whose kernels have no host functions.
CHECK += $(addprefix $(BUILD)/tests/programs/,own_kernels own_order \
	own_matrices own_modules many_blocks)
$(BUILD)/obj/tests/programs/own_matrices.cu.o: GENCODE := -arch=compute_80
# Its function for threads replaces libc's, for the libraries as well.
$(BUILD)/tests/programs/many_blocks: NVCC_LIBS := -Xcompiler -rdynamic
$(BUILD)/tests/programs/own_modules: $(BUILD)/obj/tests/programs/own_modules.o \
		$(BUILD)/sim/libcuda.so
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $(filter %.o,$^) -L$(BUILD)/sim \
		-lcuda -o $@
