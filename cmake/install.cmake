# What `cmake --install` lays down: program, libraries, headers, manual, pkg-config, CMake config.
install(TARGETS marey_program marey_shared marey_static EXPORT marey_targets)
install(DIRECTORY include/marey DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${manual_dir}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES ${manual_dir}/commands.md ${manual_dir}/operations.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${manual_dir}/marey.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME marey)
install(FILES ${manual_dir}/_marey DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${manual_dir}/marey.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES LICENSE LICENSE.DejaVu README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

file(RELATIVE_PATH marey_prefix_from_pc /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(cmake/marey.pc.in ${CMAKE_BINARY_DIR}/marey.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/marey.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/marey)
install(EXPORT marey_targets NAMESPACE marey:: DESTINATION ${config_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/marey-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/marey-config.cmake ${CMAKE_BINARY_DIR}/marey-config-version.cmake DESTINATION ${config_dir})
