# WhelkFolders.cmake - one object target per folder.
#
# Object targets and not archives: a test then links every object of the folders it may see, so that
# a call to a folder above is a link error even when no test reaches it.

# whelk_sources(<out> <folder>… [EXCLUDE <regex>…]): .c and .S files of the folders, recursively.
function(whelk_sources out)
    cmake_parse_arguments(arg "" "" "EXCLUDE" ${ARGN})
    set(all)
    foreach(dir ${arg_UNPARSED_ARGUMENTS})
        file(GLOB_RECURSE found CONFIGURE_DEPENDS
            ${PROJECT_SOURCE_DIR}/${dir}/*.c ${PROJECT_SOURCE_DIR}/${dir}/*.S)
        list(APPEND all ${found})
    endforeach()
    foreach(regex ${arg_EXCLUDE})
        list(FILTER all EXCLUDE REGEX "${regex}")
    endforeach()
    set(${out} ${all} PARENT_SCOPE)
endfunction()

set(WHELK_OBJECT_TARGETS)
# whelk_folder(<target> SOURCES <file>… [DEPS <target>…]): a folder without sources makes no target.
function(whelk_folder target)
    cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
    if(NOT arg_SOURCES)
        return()
    endif()
    add_library(${target} OBJECT ${arg_SOURCES})
    target_link_libraries(${target} PRIVATE whelk_flags ${arg_DEPS})
    # Only what api/ and adapters/ define is public; the version script keeps it to whelk_ names.
    if(NOT target MATCHES "^wk_(api|adapters)$")
        set_target_properties(${target} PROPERTIES C_VISIBILITY_PRESET hidden)
    endif()
    list(APPEND WHELK_OBJECT_TARGETS ${target})
    set(WHELK_OBJECT_TARGETS ${WHELK_OBJECT_TARGETS} PARENT_SCOPE)
endfunction()

# The list of commands and of shell builtins, from the declarations beside their code.
function(whelk_table out macro)
    set(inc ${PROJECT_BINARY_DIR}/generated/${out})
    string(REPLACE ";" "\n" names "${ARGN}")
    # One file of names, so that the command line stays short and a removed file is noticed.
    file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/generated/${out}.sources CONTENT "${names}\n")
    add_custom_command(
        OUTPUT ${inc}
        COMMAND ${CMAKE_COMMAND} -DMACRO=${macro} -DOUT=${inc} -DSOURCES=${inc}.sources
            -P ${PROJECT_SOURCE_DIR}/cmake/make_table.cmake
        DEPENDS ${ARGN} ${PROJECT_BINARY_DIR}/generated/${out}.sources
            ${PROJECT_SOURCE_DIR}/cmake/make_table.cmake
        COMMENT "Generating ${out}" VERBATIM)
endfunction()

# Character classes, cases and widths, from the Unicode Character Database.
set(WHELK_UNICODE "/usr/share/unicode" CACHE PATH "Directory of UnicodeData.txt and its like (Debian: unicode-data)")
if(NOT EXISTS "${WHELK_UNICODE}/UnicodeData.txt")
    message(FATAL_ERROR "No Unicode Character Database in '${WHELK_UNICODE}': install unicode-data, or set WHELK_UNICODE")
endif()
set(unicode_inc ${PROJECT_BINARY_DIR}/generated/unicode.inc)
add_custom_command(
    OUTPUT ${unicode_inc}
    COMMAND ${CMAKE_COMMAND} -DUNICODE=${WHELK_UNICODE} -DOUT=${unicode_inc}
        -P ${PROJECT_SOURCE_DIR}/cmake/make_unicode.cmake
    DEPENDS ${PROJECT_SOURCE_DIR}/cmake/make_unicode.cmake ${WHELK_UNICODE}/UnicodeData.txt
    COMMENT "Generating unicode.inc" VERBATIM)

# The zones that TZ names, from the compiled zones of this machine; made again when its tzdata changes.
set(WHELK_ZONEINFO "/usr/share/zoneinfo" CACHE STRING "Directory of compiled time zones for the table in the library; empty for none")
set(zones_inc ${PROJECT_BINARY_DIR}/generated/zones.inc)
set(zones_stamp)
foreach(file tzdata.zi +VERSION Etc/UTC)
    if(WHELK_ZONEINFO AND EXISTS "${WHELK_ZONEINFO}/${file}")
        list(APPEND zones_stamp "${WHELK_ZONEINFO}/${file}")
    endif()
endforeach()
add_custom_command(
    OUTPUT ${zones_inc}
    COMMAND ${CMAKE_COMMAND} -DZONEINFO=${WHELK_ZONEINFO} -DOUT=${zones_inc}
        -P ${PROJECT_SOURCE_DIR}/cmake/make_zones.cmake
    DEPENDS ${PROJECT_SOURCE_DIR}/cmake/make_zones.cmake ${zones_stamp}
    COMMENT "Generating zones.inc" VERBATIM)

whelk_sources(base_src base)
whelk_sources(json_src text/json)
whelk_sources(text_src text EXCLUDE "/text/json/")
whelk_sources(vfs_src vfs)
whelk_sources(kern_src kern)
whelk_sources(interp_src interp)
whelk_sources(builtins_src builtins EXCLUDE "/builtins/shell/")
whelk_sources(shell_src builtins/shell)
whelk_sources(adapters_src adapters EXCLUDE "/adapters/guest/")
whelk_sources(api_src api)

whelk_table(commands.inc WK_COMMAND ${builtins_src} ${shell_src})
whelk_table(builtins.inc WK_BUILTIN ${shell_src})

# whelk_embed(<out> <file>…): files, one behind the other, as bytes for an array.
function(whelk_embed out)
    set(inc ${PROJECT_BINARY_DIR}/generated/${out})
    string(REPLACE ";" "\n" names "${ARGN}")
    file(GENERATE OUTPUT ${inc}.sources CONTENT "${names}\n")
    add_custom_command(OUTPUT ${inc}
        COMMAND ${CMAKE_COMMAND} -DOUT=${inc} -DSOURCES=${inc}.sources
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake
        DEPENDS ${ARGN} ${inc}.sources ${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake
        COMMENT "Generating ${out}" VERBATIM)
endfunction()

# The tables of the command `file`, and the character sets of iconv.
file(GLOB magic_src CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/builtins/magic/*.magic)
file(GLOB charsets_src CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/builtins/charsets/*.map)
list(SORT magic_src)
list(SORT charsets_src)
whelk_embed(magic.inc ${magic_src})
whelk_embed(charsets.inc ${charsets_src})
# The guest helper, which the library brings along.
whelk_embed(guest.inc ${WHELK_GUEST})

add_custom_target(whelk_tables DEPENDS
    ${PROJECT_BINARY_DIR}/generated/commands.inc ${PROJECT_BINARY_DIR}/generated/builtins.inc)

whelk_folder(wk_base SOURCES ${base_src} ${unicode_inc})
whelk_folder(wk_json SOURCES ${json_src})
whelk_folder(wk_text SOURCES ${text_src} ${zones_inc} DEPS whelk_dep_pcre2)
whelk_folder(wk_vfs SOURCES ${vfs_src})
whelk_folder(wk_kern SOURCES ${kern_src} DEPS Threads::Threads)
whelk_folder(wk_interp SOURCES ${interp_src})
whelk_folder(wk_builtins SOURCES ${builtins_src}
    ${PROJECT_BINARY_DIR}/generated/magic.inc ${PROJECT_BINARY_DIR}/generated/charsets.inc DEPS whelk_dep_zlib)
whelk_folder(wk_builtins_shell SOURCES ${shell_src})
whelk_folder(wk_adapters SOURCES ${adapters_src} ${PROJECT_BINARY_DIR}/generated/guest.inc DEPS Threads::Threads)
whelk_folder(wk_api SOURCES ${api_src} DEPS Threads::Threads)
if(TARGET wk_api)
    add_dependencies(wk_api whelk_tables)
endif()

# What a program that links these objects needs besides.
add_library(whelk_deps INTERFACE)
target_link_libraries(whelk_deps INTERFACE whelk_dep_pcre2 whelk_dep_zlib Threads::Threads m)

# whelk_closure(<out> <folder>): the object targets that code of this folder may be linked with.
function(whelk_closure out folder)
    set(base wk_base)
    set(harness wk_base)
    set(text wk_base wk_text wk_json)
    set(vfs wk_base wk_vfs)
    set(kern wk_base wk_vfs wk_kern)
    set(interp wk_base wk_text wk_json wk_vfs wk_kern wk_interp)
    set(builtins wk_base wk_text wk_json wk_vfs wk_kern wk_builtins)
    set(builtins_shell ${interp} wk_builtins wk_builtins_shell)
    set(adapters wk_base wk_text wk_json wk_vfs wk_kern wk_adapters)
    set(api ${WHELK_OBJECT_TARGETS})
    set(found)
    foreach(target ${${folder}})
        if(TARGET ${target})
            list(APPEND found ${target})
        endif()
    endforeach()
    set(${out} ${found} PARENT_SCOPE)
endfunction()
