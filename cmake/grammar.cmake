# Builds the parser from grammar/: Lemon (sql.y) and re2c (sql.re). A conflict or a warning of either fails the build. The tables
# stay uncompressed (-c): default reductions would let a keyword that could follow be taken for a name.
find_program(LEMON lemon REQUIRED)
find_program(RE2C re2c REQUIRED)
function(leat_grammar out_sources)
  set(out ${PROJECT_BINARY_DIR}/grammar)
  file(MAKE_DIRECTORY ${out})
  if(EXISTS ${PROJECT_SOURCE_DIR}/grammar/sql.y)
    add_custom_command(OUTPUT ${out}/sql.c ${out}/sql.h
      COMMAND ${LEMON} -c -d${out} ${PROJECT_SOURCE_DIR}/grammar/sql.y
      DEPENDS ${PROJECT_SOURCE_DIR}/grammar/sql.y VERBATIM)
    add_custom_command(OUTPUT ${out}/lexer.c
      COMMAND ${RE2C} -W -Werror --no-generation-date -i -o ${out}/lexer.c ${PROJECT_SOURCE_DIR}/grammar/sql.re
      DEPENDS ${PROJECT_SOURCE_DIR}/grammar/sql.re ${PROJECT_SOURCE_DIR}/grammar/keywords.def ${out}/sql.h VERBATIM)
    set_source_files_properties(${out}/sql.c PROPERTIES COMPILE_OPTIONS
      "-Wno-conversion;-Wno-shadow;-Wno-cast-qual;-Wno-unused-parameter;-Wno-missing-prototypes;-Wno-sign-compare;-Wno-unused-variable;-Wno-undef")
    set_source_files_properties(${PROJECT_SOURCE_DIR}/parser/build.c ${PROJECT_SOURCE_DIR}/parser/filter.c ${PROJECT_SOURCE_DIR}/parser/parser.c PROPERTIES OBJECT_DEPENDS ${out}/sql.h)
    set(${out_sources} ${${out_sources}} ${out}/sql.c ${out}/lexer.c PARENT_SCOPE)
  endif()
endfunction()
