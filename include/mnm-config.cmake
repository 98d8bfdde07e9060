# mnm::mnm has the headers alone: what is built with them links to nothing of
# mnm's. MNM_LIBRARY is what is preloaded.
get_filename_component(MNM_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(MNM_LIBRARY "${MNM_PREFIX}/lib/mnm/libmnm.so")
if(NOT TARGET mnm::mnm)
	add_library(mnm::mnm INTERFACE IMPORTED)
	set_target_properties(mnm::mnm PROPERTIES
		INTERFACE_INCLUDE_DIRECTORIES "${MNM_PREFIX}/include"
		INTERFACE_LINK_LIBRARIES "${CMAKE_DL_LIBS}")
endif()
