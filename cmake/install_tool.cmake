# The manual page and shell completions, which the tool makes from its own table of options.
set(tool_texts ${CMAKE_BINARY_DIR}/share)
file(MAKE_DIRECTORY ${tool_texts})
add_custom_command(TARGET filigree_tool POST_BUILD
  COMMAND $<TARGET_FILE:filigree_tool> --man > ${tool_texts}/filigree.1
  COMMAND $<TARGET_FILE:filigree_tool> --completion bash > ${tool_texts}/filigree.bash
  COMMAND $<TARGET_FILE:filigree_tool> --completion zsh > ${tool_texts}/_filigree
  COMMAND $<TARGET_FILE:filigree_tool> --completion fish > ${tool_texts}/filigree.fish
  BYPRODUCTS ${tool_texts}/filigree.1 ${tool_texts}/filigree.bash ${tool_texts}/_filigree ${tool_texts}/filigree.fish
  VERBATIM)
install(FILES ${tool_texts}/filigree.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${tool_texts}/filigree.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME filigree)
install(FILES ${tool_texts}/_filigree DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${tool_texts}/filigree.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
