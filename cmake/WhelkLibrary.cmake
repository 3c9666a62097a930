# WhelkLibrary.cmake - libwhelk.a and libwhelk.so, and how they are installed.
#
# Both export whelk_ names only. The archive holds one object made by a relocatable link, in which
# every other symbol was made local: nothing of ours can clash with a host's own names.

set(WHELK_ALL_OBJECTS)
foreach(target ${WHELK_OBJECT_TARGETS})
    list(APPEND WHELK_ALL_OBJECTS $<TARGET_OBJECTS:${target}>)
endforeach()

set(whelk_rsp ${PROJECT_BINARY_DIR}/generated/whelk_objects.rsp)
file(GENERATE OUTPUT ${whelk_rsp} CONTENT "$<JOIN:${WHELK_ALL_OBJECTS},\n>\n")
set(whelk_relink ${CMAKE_C_COMPILER} -r -nostdlib -fPIC)
if(WHELK_LTO_ON)
    list(APPEND whelk_relink -O2 -flto=auto -flinker-output=nolto-rel)
endif()
set(WHELK_ARCHIVE ${PROJECT_BINARY_DIR}/libwhelk.a)
add_custom_command(
    OUTPUT ${WHELK_ARCHIVE}
    COMMAND ${whelk_relink} -o whelk_all.o @${whelk_rsp}
    COMMAND ${CMAKE_OBJCOPY} --wildcard "--keep-global-symbol=whelk_*" whelk_all.o whelk.o
    COMMAND ${CMAKE_COMMAND} -E rm -f ${WHELK_ARCHIVE}
    COMMAND ${CMAKE_AR} rcs ${WHELK_ARCHIVE} whelk.o
    DEPENDS ${WHELK_ALL_OBJECTS} ${whelk_rsp}
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
    COMMENT "Linking libwhelk.a" VERBATIM)
add_custom_target(whelk_archive ALL DEPENDS ${WHELK_ARCHIVE})

# What our programs and tests link: the archive, with nothing but include/ to see.
add_library(whelk_lib STATIC IMPORTED GLOBAL)
set_target_properties(whelk_lib PROPERTIES IMPORTED_LOCATION ${WHELK_ARCHIVE})
add_dependencies(whelk_lib whelk_archive)
target_link_libraries(whelk_lib INTERFACE whelk_deps)

if(WHELK_SHARED)
    add_library(whelk_shared SHARED ${WHELK_ALL_OBJECTS})
    set_target_properties(whelk_shared PROPERTIES
        OUTPUT_NAME whelk VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
        LINKER_LANGUAGE C LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/whelk.map)
    target_link_libraries(whelk_shared PRIVATE whelk_flags whelk_deps)
    target_link_options(whelk_shared PRIVATE
        -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/whelk.map -Wl,-z,relro,-z,now)
    if(NOT WHELK_SANITIZE)
        target_link_options(whelk_shared PRIVATE -Wl,-z,defs)
    endif()
    install(TARGETS whelk_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

install(FILES ${WHELK_ARCHIVE} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h")

# Relative to where the .pc file lies, so that an installed tree can be moved.
file(RELATIVE_PATH WHELK_PC_PREFIX /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(${PROJECT_SOURCE_DIR}/cmake/whelk.pc.in ${PROJECT_BINARY_DIR}/whelk.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/whelk.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

include(CMakePackageConfigHelpers)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/whelkConfig.cmake.in
    ${PROJECT_BINARY_DIR}/whelkConfig.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/whelk
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/whelkConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/whelkConfig.cmake ${PROJECT_BINARY_DIR}/whelkConfigVersion.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/whelk)
