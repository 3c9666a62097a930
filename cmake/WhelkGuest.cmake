# WhelkGuest.cmake - the guest helper: a static program that runs a sandbox's processes, and one with the preset's
# sanitizers for its tests.

file(GLOB guest_src CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/adapters/guest/*.c)
file(GLOB guest_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/adapters/guest/*.h)

add_executable(whelk-guest-checked ${guest_src})
target_link_libraries(whelk-guest-checked PRIVATE whelk_flags)

# It goes into containers of any system, so it brings its C library along.
find_program(WHELK_MUSL_GCC musl-gcc)
if(NOT WHELK_MUSL_GCC)
    message(FATAL_ERROR "musl-gcc was not found: install musl-tools")
endif()
set(WHELK_GUEST ${PROJECT_BINARY_DIR}/whelk-guest)
add_custom_command(OUTPUT ${WHELK_GUEST}
    COMMAND ${WHELK_MUSL_GCC} -std=c11 -Os -static -s -Wall -Wextra -I${PROJECT_SOURCE_DIR} ${guest_src} -o ${WHELK_GUEST}
    DEPENDS ${guest_src} ${guest_headers}
    COMMENT "Building whelk-guest" VERBATIM)
add_custom_target(guest ALL DEPENDS ${WHELK_GUEST})
