# The run-time compiler of the simulated device, in front of the toolkit's own.
# It is built where the toolkit has that.
NVRTC_OBJ := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard src/sim/nvrtc/*.c))
NVRTC_MAP := src/sim/nvrtc/nvrtc.map

ifneq ($(wildcard $(CUDA_HOME)/include/nvrtc.h),)
ALL += $(BUILD)/sim/libnvrtc.so.13

$(BUILD)/sim/libnvrtc.so.13: $(NVRTC_OBJ) $(NVRTC_MAP)
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,-Bsymbolic \
		-Wl,--version-script=$(NVRTC_MAP) $(NVRTC_OBJ) -o $@
	@ln -sf $(@F) $(@D)/libnvrtc.so
endif
