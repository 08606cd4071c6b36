# Writes build/<preset>/registry/<folder>.c: a table of the const descriptors that the files of a registry folder end in.
# leat_registry(OUT_SOURCES FOLDER exec/functions TYPE lt_function PREFIX lt_functions_ TABLE lt_function_registry HEADER base/function.h [ARRAYS])
# ARRAYS: each descriptor is an array ended by a zero row; else a single object.
function(leat_registry out_sources)
  cmake_parse_arguments(R "ARRAYS" "FOLDER;TYPE;PREFIX;TABLE;HEADER" "" ${ARGN})
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${R_FOLDER}/*.c)
  set(declarations "")
  set(rows "")
  foreach(file ${files})
    get_filename_component(name ${file} NAME_WE)
    if(R_ARRAYS)
      string(APPEND declarations "extern const ${R_TYPE} ${R_PREFIX}${name}[];\n")
      string(APPEND rows "    ${R_PREFIX}${name},\n")
    else()
      string(APPEND declarations "extern const ${R_TYPE} ${R_PREFIX}${name};\n")
      string(APPEND rows "    &${R_PREFIX}${name},\n")
    endif()
  endforeach()
  string(REPLACE "/" "_" flat ${R_FOLDER})
  set(path ${PROJECT_BINARY_DIR}/registry/${flat}.c)
  file(CONFIGURE OUTPUT ${path} CONTENT
"// Written by the build from the folder ${R_FOLDER}.
#include \"${R_HEADER}\"
${declarations}
extern const ${R_TYPE} *const ${R_TABLE}[];
const ${R_TYPE} *const ${R_TABLE}[] = {
${rows}    NULL,
};
")
  set(${out_sources} ${${out_sources}} ${files} ${path} PARENT_SCOPE)
endfunction()
