# The simulated runtime. Every object is built once, and those of work/ a second
# time for the per-thread default stream.
#   $(BUILD)/sim/libcudart.so.13  for programs linked by nvcc -cudart shared
#   $(BUILD)/sim/cudart_static.o  the same objects for nvcc -cudart none

RUNTIME_SRC  := $(wildcard src/sim/runtime/*.c src/sim/runtime/work/*.c)
RUNTIME_WORK := $(wildcard src/sim/runtime/work/*.c)
RUNTIME_GEN  := $(BUILD)/gen/sim/runtime/stubs.c
RUNTIME_OBJ  := $(RUNTIME_SRC:%.c=$(BUILD)/obj/%.o) \
	$(RUNTIME_WORK:%.c=$(BUILD)/obj/%.per-thread.o) \
	$(RUNTIME_GEN:%.c=$(BUILD)/obj/%.o)
RUNTIME_MAP  := src/sim/runtime/cudart.map

ENTRY_OBJ    += $(RUNTIME_OBJ)
ALL += $(BUILD)/sim/libcudart.so.13 $(BUILD)/sim/cudart_static.o

$(RUNTIME_GEN): src/sim/runtime/gen_missing
	$(call SAY,gen   )
	$(Q)src/sim/runtime/gen_missing $(CC) $(CUDA_HOME)/include $@

$(RUNTIME_GEN:%.c=$(BUILD)/obj/%.o): CPPFLAGS += -Isrc/sim/runtime

$(BUILD)/obj/%.per-thread.o: CPPFLAGS += -DCUDA_API_PER_THREAD_DEFAULT_STREAM
$(BUILD)/obj/%.per-thread.o: %.c
	$(call SAY,cc    )
	$(Q)$(COMPILE)

$(BUILD)/sim/libcudart.so.13: $(RUNTIME_OBJ) $(RUNTIME_MAP)
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) -shared -Wl,-soname,$(@F) -Wl,-Bsymbolic \
		-Wl,--version-script=$(RUNTIME_MAP) $(RUNTIME_OBJ) -o $@
	@ln -sf $(@F) $(@D)/libcudart.so

$(BUILD)/sim/cudart_static.o: $(RUNTIME_OBJ)
	$(call SAY,link  )
	$(Q)ld -r $^ -o $@
