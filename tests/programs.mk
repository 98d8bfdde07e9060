# CUDA programs that the behaviour tests run under the preload. `shell` makes
# the calls its input names; it is built in each form that CUDA comes in.

PROGRAMS := $(addprefix $(BUILD)/tests/programs/,shell_shared shell_static \
	shell_driver shell_plugin.so plugin_host churn late_work releases door guest)
SHELL_OBJ := $(addprefix $(BUILD)/obj/tests/programs/,shell.o shell_process.o)

CHECK += $(PROGRAMS)

$(BUILD)/tests/programs/shell_static: NVCC_CUDART := none
$(BUILD)/tests/programs/shell_static: $(BUILD)/sim/cudart_static.o
$(BUILD)/tests/programs/shell_shared $(BUILD)/tests/programs/shell_static: \
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
		$(BUILD)/sim/libcuda.so
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $(filter %.o,$^) -L$(BUILD)/sim \
		-lcuda -pthread -o $@

RUNTIME_PROGRAMS := $(addprefix $(BUILD)/tests/programs/,churn late_work \
	releases)
$(RUNTIME_PROGRAMS): $(BUILD)/tests/programs/%: $(BUILD)/obj/tests/programs/%.o
	$(call SAY,link  )
	$(Q)$(NVCC_LINK) $^ -o $@

$(BUILD)/tests/programs/plugin_host $(BUILD)/tests/programs/door \
$(BUILD)/tests/programs/inner_door: \
$(BUILD)/tests/programs/%: $(BUILD)/obj/tests/programs/%.o
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $^ -pthread -o $@

$(BUILD)/tests/programs/guest: $(BUILD)/obj/tests/programs/guest.o \
		$(BUILD)/sim/libcuda.so
	$(call SAY,link  )
	$(Q)$(NVCC_LINK) $(filter %.o,$^) -L$(BUILD)/sim -lcuda -o $@

$(BUILD)/tests/programs/many_streams: \
		$(BUILD)/obj/tests/programs/many_streams.o $(BUILD)/sim/libcuda.so
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) $(filter %.o,$^) -L$(BUILD)/sim \
		-lcuda -pthread -o $@

# The simulated driver with one entry more, and a door that knows it.
NEWER     := $(BUILD)/tests/programs/newer/libcuda.so.1
NEWER_OBJ := $(filter-out %/entries.o,$(SIM_DRIVER_OBJ)) \
	$(BUILD)/tests/programs/newer/entries.o \
	$(BUILD)/obj/tests/programs/newer_driver.o
CHECK += $(NEWER) $(BUILD)/tests/programs/many_streams
$(BUILD)/tests/programs/newer/entries.o: $(filter %/entries.o,$(SIM_DRIVER_OBJ))
	$(call SAY,rename)
	$(Q)objcopy --redefine-sym cuGetProcAddress_v2=base_cuGetProcAddress_v2 \
		$< $@
$(NEWER): $(NEWER_OBJ) src/sim/driver/exports.map
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) -shared -Wl,-Bsymbolic -pthread \
		-Wl,-soname,libcuda.so.1 -Wl,-z,nodelete \
		-Wl,--version-script=src/sim/driver/exports.map $(NEWER_OBJ) -o $@

INNER := $(BUILD)/tests/programs/inner/libcuda.so.1
CHECK += $(INNER) $(BUILD)/tests/programs/inner_door
$(INNER): $(BUILD)/obj/tests/programs/inner_driver.o
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) -shared -Wl,-Bsymbolic \
		-Wl,-soname,libcuda.so.1 $^ -o $@
