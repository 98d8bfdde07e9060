# Plug-ins that the tests load, right ones and wrong ones: a file each.

PLUGINS := $(patsubst tests/plugins/%.c,$(BUILD)/tests/plugins/%.so,\
	$(wildcard tests/plugins/*.c))
CHECK   += $(PLUGINS)

$(PLUGINS): $(BUILD)/tests/plugins/%.so: $(BUILD)/obj/tests/plugins/%.o
	$(call SAY,link  )
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) -shared $^ -o $@

# Linked by a name that no folder of the loader's has.
$(BUILD)/tests/plugins/needs.so: $(BUILD)/tests/plugins/absent.so
$(BUILD)/tests/plugins/absent.so: LDFLAGS += -Wl,-soname,libmnm-absent.so
$(BUILD)/tests/plugins/links.so: $(BUILD)/sim/libcuda.so
