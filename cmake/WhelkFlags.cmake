# WhelkFlags.cmake - compiler flags of our own targets, as the interface target whelk_flags.
# Third-party headers are SYSTEM includes, so the warnings never reach them.

add_library(whelk_flags INTERFACE)
target_include_directories(whelk_flags INTERFACE
    ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/generated)
target_compile_definitions(whelk_flags INTERFACE WHELK_BUILDING=1)

set(WHELK_WARNINGS
    -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wpointer-arith -Wundef -Wvla
    -Wwrite-strings -Wcast-qual -Wformat=2 -Wimplicit-fallthrough -Wdouble-promotion)
set(WHELK_C_WARNINGS ${WHELK_WARNINGS}
    -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition)
if(WHELK_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # Instrumentation hides the ranges that gcc's conversion warnings rest on; other builds check.
    list(APPEND WHELK_C_WARNINGS -Wno-conversion -Wno-sign-conversion)
endif()
if(WHELK_WERROR)
    list(APPEND WHELK_C_WARNINGS -Werror)
endif()
target_compile_options(whelk_flags INTERFACE
    $<$<COMPILE_LANGUAGE:C>:${WHELK_C_WARNINGS}>
    # Results must not depend on whether the machine has fused multiply-add.
    -ffp-contract=off
    -fno-omit-frame-pointer)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release"
   AND NOT WHELK_SANITIZE)
    target_compile_options(whelk_flags INTERFACE $<$<COMPILE_LANGUAGE:C>:-Wnull-dereference>)
endif()

if(WHELK_UCONTEXT)
    target_compile_definitions(whelk_flags INTERFACE WK_FIBER_UCONTEXT=1)
endif()
if(WHELK_CHECKED)
    target_compile_definitions(whelk_flags INTERFACE WK_CHECKED=1)
endif()
if(WHELK_SANITIZE)
    target_compile_options(whelk_flags INTERFACE
        -fsanitize=${WHELK_SANITIZE} -fno-sanitize-recover=all)
    target_link_options(whelk_flags INTERFACE
        -fsanitize=${WHELK_SANITIZE} -fno-sanitize-recover=all)
endif()
if(WHELK_FUZZ)
    target_compile_options(whelk_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

set(WHELK_LTO_ON OFF)
if(WHELK_LTO)
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        set(WHELK_LTO_ON ON)
        target_compile_options(whelk_flags INTERFACE $<$<COMPILE_LANGUAGE:C>:-flto=auto>)
        target_link_options(whelk_flags INTERFACE -flto=auto -O2)
    else()
        message(STATUS "WHELK_LTO: only with gcc; ignored")
    endif()
endif()

find_program(WHELK_CCACHE ccache)
if(WHELK_CCACHE AND NOT CMAKE_C_COMPILER_LAUNCHER)
    set(CMAKE_C_COMPILER_LAUNCHER ${WHELK_CCACHE})
endif()
