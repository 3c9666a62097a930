# WhelkTests.cmake - every test that ctest knows. Labels: lint unit case api torture fuzz.

find_path(CRITERION_INCLUDE criterion/criterion.h)
find_library(CRITERION_LIB criterion)
find_package(Python3 COMPONENTS Interpreter)

set(WHELK_TEST_ENV
    "ASAN_OPTIONS=detect_stack_use_after_return=1:detect_leaks=1:allocator_may_return_null=1"
    "UBSAN_OPTIONS=print_stacktrace=1" "LC_ALL=C.UTF-8" "TZ=UTC")

function(whelk_add_test name label timeout)
    add_test(NAME ${name} COMMAND ${ARGN})
    set_tests_properties(${name} PROPERTIES
        LABELS ${label} TIMEOUT ${timeout} ENVIRONMENT "${WHELK_TEST_ENV}")
endfunction()

# ---- unit: one Criterion program per file, linked with what its folder may see and no more --------
if(CRITERION_INCLUDE AND CRITERION_LIB)
    add_library(whelk_criterion INTERFACE)
    if(WHELK_SANITIZE MATCHES "thread")
        target_include_directories(whelk_criterion SYSTEM INTERFACE
            ${PROJECT_SOURCE_DIR}/tests/mini)
    else()
        target_include_directories(whelk_criterion SYSTEM INTERFACE ${CRITERION_INCLUDE})
        target_link_libraries(whelk_criterion INTERFACE ${CRITERION_LIB})
    endif()
    target_compile_definitions(whelk_criterion INTERFACE "_GNU_SOURCE=")
    # Criterion's macros define what -Wmissing-prototypes and friends complain about.
    target_compile_options(whelk_criterion INTERFACE
        -Wno-missing-prototypes -Wno-pedantic -Wno-sign-conversion -Wno-conversion
        -Wno-format-nonliteral -Wno-double-promotion)
    if(CMAKE_C_COMPILER_ID MATCHES "Clang")
        target_compile_options(whelk_criterion INTERFACE -Wno-gnu-zero-variadic-macro-arguments)
    else()
        target_compile_options(whelk_criterion INTERFACE -Wno-format-overflow)
    endif()

    foreach(folder base text vfs kern interp builtins builtins_shell adapters api harness)
        file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/unit/${folder}/*.c)
        set(tests ${files})
        list(FILTER tests INCLUDE REGEX "/test_[^/]*\\.c$")
        set(helpers ${files})
        list(FILTER helpers EXCLUDE REGEX "/test_[^/]*\\.c$")
        if(folder STREQUAL "harness")
            list(APPEND helpers ${PROJECT_SOURCE_DIR}/tests/harness/case_file.c)
        endif()
        if(folder STREQUAL "adapters")
            list(APPEND helpers ${PROJECT_SOURCE_DIR}/tests/api/file_cases.c)
        endif()
        whelk_closure(objects ${folder})
        foreach(file ${tests})
            get_filename_component(name ${file} NAME_WE)
            string(REGEX REPLACE "^test_" "" short ${name})
            set(target unit-${folder}-${short})
            add_executable(${target} ${file} ${helpers})
            target_link_libraries(${target} PRIVATE
                whelk_flags ${objects} whelk_deps whelk_criterion)
            set(label unit)
            if(short STREQUAL "torture")
                set(label torture)
            endif()
            whelk_add_test(unit.${folder}.${short} ${label} 120 ${target} --jobs=1)
        endforeach()
    endforeach()

    # ---- api: the public library and nothing else --------------------------------------------
    file(GLOB api_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/api/test_*.c)
    file(GLOB api_helpers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/api/*.c)
    list(FILTER api_helpers EXCLUDE REGEX "/test_[^/]*\\.c$")
    if(TARGET wk_api)
        foreach(file ${api_tests})
            get_filename_component(name ${file} NAME_WE)
            string(REGEX REPLACE "^test_" "" short ${name})
            add_executable(api-${short} ${file} ${api_helpers})
            target_link_libraries(api-${short} PRIVATE whelk_flags whelk_lib whelk_criterion)
            whelk_add_test(api.${short} api 180 api-${short} --jobs=1)
        endforeach()
        # The shared library is a way of its own to lose a symbol: one program checks it.
        if(WHELK_SHARED AND Python3_FOUND)
            file(GLOB py_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/api/test_*.py)
            foreach(file ${py_tests})
                get_filename_component(name ${file} NAME_WE)
                string(REGEX REPLACE "^test_" "" short ${name})
                whelk_add_test(api.py.${short} api 120
                    ${Python3_EXECUTABLE} ${file} $<TARGET_FILE:whelk_shared>)
            endforeach()
        endif()
    endif()
else()
    message(WARNING "Criterion was not found: unit and api tests are not built")
endif()

# ---- case: scripts with recorded results --------------------------------------------------------
file(GLOB harness_src CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/harness/*.c)
if(harness_src AND TARGET wk_api)
    add_executable(whelk-case ${harness_src})
    target_link_libraries(whelk-case PRIVATE whelk_flags wk_base whelk_lib)
    file(GLOB_RECURSE cases CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/cases/*.case)
    foreach(file ${cases})
        file(RELATIVE_PATH rel ${PROJECT_SOURCE_DIR}/tests/cases ${file})
        string(REGEX REPLACE "\\.case$" "" rel ${rel})
        string(REPLACE "/" "." rel ${rel})
        whelk_add_test(case.${rel} case 120 whelk-case run
            --known ${PROJECT_SOURCE_DIR}/tests/known.txt ${file})
    endforeach()
endif()

# ---- live-regex: text/re beside glibc's regexec (./dev live-regex); no part of the product ----------
file(GLOB live_regex_src CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/live/regex/*.c)
whelk_closure(objects text)
add_executable(live-regex EXCLUDE_FROM_ALL ${live_regex_src})
target_link_libraries(live-regex PRIVATE whelk_flags ${objects} whelk_deps)

# The thread sanitizer keeps the calls of a thread in a table of 65,536: the deepest scripts overflow it.
if(WHELK_SANITIZE MATCHES "thread" AND TEST case.limit.depth)
    set_tests_properties(case.limit.depth PROPERTIES DISABLED TRUE)
endif()

# The program from outside: options, statuses, limits, the prompt on a pseudo-terminal.
if(Python3_FOUND AND TARGET whelk)
    file(GLOB cli_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/cli/test_*.py)
    foreach(file ${cli_tests})
        get_filename_component(name ${file} NAME_WE)
        string(REGEX REPLACE "^test_" "" short ${name})
        whelk_add_test(case.cli.${short} case 300
            ${Python3_EXECUTABLE} -B ${file} $<TARGET_FILE:whelk>)
    endforeach()
endif()

# The guest helper: as it is shipped, and with this build's sanitizers.
if(Python3_FOUND)
    foreach(program whelk-guest whelk-guest-checked)
        whelk_add_test(guest.${program} api 120 ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tests/guest/test_guest.py
            ${PROJECT_BINARY_DIR}/${program})
    endforeach()
endif()

# Sandboxes of the kind "docker", with engines that the tests start themselves; skipped where there can be none.
file(GLOB docker_src CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/docker/*.c)
if(Python3_FOUND AND docker_src)
    whelk_closure(objects adapters)
    add_executable(docker-box ${docker_src})
    target_compile_definitions(docker-box PRIVATE "_GNU_SOURCE=")
    target_link_libraries(docker-box PRIVATE whelk_flags ${objects} whelk_deps)
    set(few)
    if(WHELK_SANITIZE)
        set(few --few)
    endif()
    foreach(engine docker podman none)
        whelk_add_test(docker.${engine} docker 600
            ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tests/docker/test_docker.py ${engine} $<TARGET_FILE:docker-box> ${few})
        set_tests_properties(docker.${engine} PROPERTIES RESOURCE_LOCK container_engine SKIP_RETURN_CODE 77)
    endforeach()
    if(TARGET whelk)
        whelk_add_test(docker.cli docker 600
            ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tests/docker/test_cli.py $<TARGET_FILE:whelk>)
        set_tests_properties(docker.cli PROPERTIES RESOURCE_LOCK container_engine SKIP_RETURN_CODE 77)
    endif()
    if(TARGET api-sandbox_files)
        whelk_add_test(docker.files docker 600
            ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tests/docker/engine.py docker -i small
            $<TARGET_FILE:api-sandbox_files> --jobs=1 --filter=sandbox_files/of_a_container)
        set_tests_properties(docker.files PROPERTIES RESOURCE_LOCK container_engine SKIP_RETURN_CODE 77
            ENVIRONMENT "${WHELK_TEST_ENV};WHELK_TEST_IMAGE=whelk-test/small")
    endif()
endif()

# The same holds for the deepest scripts of cli.limits. It also holds back signals (Ctrl-C) until the
# next system call.
if(WHELK_SANITIZE MATCHES "thread" AND TEST case.cli.repl)
    set_tests_properties(case.cli.repl case.cli.limits PROPERTIES DISABLED TRUE)
endif()

# The README's and examples' programs, built against the static library and run.
if(Python3_FOUND AND TARGET whelk_lib)
    file(GLOB doc_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/docs/test_*.py)
    foreach(file ${doc_tests})
        get_filename_component(name ${file} NAME_WE)
        string(REGEX REPLACE "^test_" "" short ${name})
        whelk_add_test(api.docs.${short} api 120 ${Python3_EXECUTABLE} -B ${file}
            ${PROJECT_SOURCE_DIR} ${WHELK_ARCHIVE} ${CMAKE_C_COMPILER} "${WHELK_SANITIZE}")
    endforeach()
endif()

# ---- fuzz: corpora replayed ----------------------------------------------------------------------
if(NOT WHELK_FUZZ)
    foreach(name ${WHELK_FUZZ_TARGETS})
        string(REGEX REPLACE "^fuzz_" "" short ${name})
        whelk_add_test(fuzz.${short} fuzz 120 ${name} ${PROJECT_SOURCE_DIR}/fuzz/corpus/${short})
    endforeach()
endif()

# ---- lint: the gates, and a planted fault for each of them ----------------------------------------
if(Python3_FOUND)
    set(tools ${PROJECT_SOURCE_DIR}/tools)
    whelk_add_test(lint.layers lint 60
        ${Python3_EXECUTABLE} ${tools}/check_layers.py ${PROJECT_SOURCE_DIR})
    whelk_add_test(lint.live lint 60 ${Python3_EXECUTABLE} -B
        ${PROJECT_SOURCE_DIR}/tests/live/language/compare.py --dry --count 4000)
    whelk_add_test(lint.live_commands lint 60 ${Python3_EXECUTABLE} -B
        ${PROJECT_SOURCE_DIR}/tests/live/commands/compare.py --dry --count 50)
    whelk_add_test(lint.sizes lint 60
        ${Python3_EXECUTABLE} ${tools}/check_sizes.py ${PROJECT_SOURCE_DIR})
    whelk_add_test(lint.headers lint 300
        ${Python3_EXECUTABLE} ${tools}/check_headers.py ${PROJECT_SOURCE_DIR} ${CMAKE_C_COMPILER})
    whelk_add_test(lint.gates lint 120
        ${Python3_EXECUTABLE} ${tools}/check_gates.py ${PROJECT_SOURCE_DIR} ${CMAKE_C_COMPILER})
    # Sanitizers and LTO put their own symbols and sections into objects.
    if(NOT WHELK_SANITIZE AND NOT WHELK_LTO_ON)
        set(objects_list ${PROJECT_BINARY_DIR}/generated/objects.txt)
        set(lines)
        foreach(target ${WHELK_OBJECT_TARGETS})
            list(APPEND lines "$<JOIN:$<TARGET_OBJECTS:${target}>,\n>")
        endforeach()
        string(REPLACE ";" "\n" lines "${lines}")
        file(GENERATE OUTPUT ${objects_list} CONTENT "${lines}\n")
        whelk_add_test(lint.symbols lint 120
            ${Python3_EXECUTABLE} ${tools}/check_symbols.py --archive ${WHELK_ARCHIVE}
            ${objects_list})
    endif()
endif()
