# WhelkDeps.cmake - the libraries whelk stands on, as interface targets whelk_dep_<name>.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

# whelk_find(<name> <pkg-config module> [REQUIRED]) makes whelk_dep_<name>, empty when it is absent.
function(whelk_find name module)
    pkg_check_modules(WHELK_${name} ${ARGN} QUIET IMPORTED_TARGET ${module})
    add_library(whelk_dep_${name} INTERFACE)
    if(WHELK_${name}_FOUND)
        target_link_libraries(whelk_dep_${name} INTERFACE PkgConfig::WHELK_${name})
        target_include_directories(whelk_dep_${name} SYSTEM INTERFACE ${WHELK_${name}_INCLUDE_DIRS})
    endif()
    set(WHELK_HAVE_${name} ${WHELK_${name}_FOUND} PARENT_SCOPE)
    set(WHELK_VERSION_${name} ${WHELK_${name}_VERSION} PARENT_SCOPE)
endfunction()

whelk_find(pcre2 libpcre2-8 REQUIRED)
whelk_find(zlib zlib REQUIRED)

# The line editor is the program's alone; no library target may link it.
set(WHELK_EDITOR "none")
add_library(whelk_dep_editor INTERFACE)
foreach(editor readline libedit)
    if(WHELK_EDITOR STREQUAL "none"
       AND (WHELK_LINE_EDITOR STREQUAL "auto" OR WHELK_LINE_EDITOR STREQUAL "${editor}"))
        pkg_check_modules(WHELK_${editor} QUIET IMPORTED_TARGET ${editor})
        if(WHELK_${editor}_FOUND)
            set(WHELK_EDITOR ${editor})
            target_link_libraries(whelk_dep_editor INTERFACE PkgConfig::WHELK_${editor})
        elseif(WHELK_LINE_EDITOR STREQUAL "${editor}")
            message(FATAL_ERROR "WHELK_LINE_EDITOR=${editor}, but it was not found")
        endif()
    endif()
endforeach()
if(WHELK_EDITOR STREQUAL "readline")
    target_compile_definitions(whelk_dep_editor INTERFACE WHELK_USE_READLINE=1)
elseif(WHELK_EDITOR STREQUAL "libedit")
    target_compile_definitions(whelk_dep_editor INTERFACE WHELK_USE_LIBEDIT=1)
endif()
message(STATUS "whelk line editor: ${WHELK_EDITOR}")
