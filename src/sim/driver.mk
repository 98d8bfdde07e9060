# The simulated driver: $(BUILD)/sim/libcuda.so.1 and its profiles.
SIM_DRIVER      := $(BUILD)/sim/libcuda.so.1
SIM_DRIVER_SRC  := $(wildcard src/sim/driver/*.c)
SIM_DRIVER_GEN  := $(BUILD)/gen/sim
SIM_GEN_C       := $(addprefix $(SIM_DRIVER_GEN)/,entries.c stubs.c names.c \
		   errors.c)
SIM_DRIVER_OBJ  := $(patsubst %.c,$(BUILD)/obj/%.o,$(SIM_DRIVER_SRC)) \
		   $(patsubst %.c,$(BUILD)/obj/%.o,$(SIM_GEN_C))
ENTRY_OBJ       += $(SIM_DRIVER_OBJ)
SIM_PROFILES    := $(patsubst src/%,$(BUILD)/%,$(wildcard \
		   src/sim/profiles/*.profile))

ALL += $(SIM_DRIVER) $(BUILD)/sim/libcuda.so $(BUILD)/sim/work.kernels.so \
	$(SIM_PROFILES)

$(SIM_DRIVER_OBJ): CPPFLAGS += -I$(SIM_DRIVER_GEN) -Isrc/sim/driver
$(patsubst %.c,$(BUILD)/obj/%.o,$(SIM_DRIVER_SRC)): $(SIM_DRIVER_GEN)/stamp

# What is written depends on which entries the sources implement.
$(SIM_DRIVER_GEN)/stamp: src/sim/driver/gen_entries $(SIM_DRIVER_SRC)
	$(call SAY,gen   )
	$(Q)src/sim/driver/gen_entries $(CC) $(CUDA_HOME)/include $(@D) \
		$(SIM_DRIVER_SRC)
	@touch $@

$(SIM_GEN_C): $(SIM_DRIVER_GEN)/stamp ;

$(SIM_DRIVER): $(SIM_DRIVER_OBJ) src/sim/driver/exports.map
	$(call SAY,link  )
	$(Q)$(CC) -shared $(SANFLAGS) -Wl,-soname,libcuda.so.1 -Wl,-Bsymbolic \
		-Wl,-z,nodelete -Wl,--version-script=src/sim/driver/exports.map \
		$(LDFLAGS) $(SIM_DRIVER_OBJ) $(SIM_PTX_OBJ) -lm -o $@

$(BUILD)/sim/libcuda.so: $(SIM_DRIVER)
	@ln -sf libcuda.so.1 $@

$(BUILD)/sim/work.kernels.so: $(BUILD)/obj/src/sim/work_kernel.o
	$(call SAY,link  )
	$(Q)$(CC) -shared $(SANFLAGS) $(LDFLAGS) $< -o $@

$(BUILD)/sim/profiles/%.profile: src/sim/profiles/%.profile
	@mkdir -p $(@D)
	@cp $< $@
