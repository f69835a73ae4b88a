# covary_embed(TARGET FILE NAME): the bytes of FILE as `covary::NAME()` in a source of TARGET.
# Done by CMake alone, so that a build needs neither network nor Node. A string literal may be long,
# but compilers promise 65,536 characters only: the text is cut into pieces.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ "${input}" hex HEX)
  string(LENGTH "${hex}" num_digits)
  math(EXPR num_bytes "${num_digits} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" escaped "${hex}")
  string(LENGTH "${escaped}" length)
  set(pieces "")
  set(place 0)
  while(place LESS length)
    string(SUBSTRING "${escaped}" ${place} 8000 piece)  # a multiple of the 4 characters of a byte
    string(APPEND pieces "    \"${piece}\"\n")
    math(EXPR place "${place} + 8000")
  endwhile()
  file(WRITE "${output}.new" "// Made by cmake/embed.cmake.\n#include <string_view>\n\n\
namespace covary {\n\nstd::string_view ${name}();\n\nstd::string_view ${name}() {\n\
  static constexpr char text[] =\n${pieces};\n  return {text, ${num_bytes}};\n}\n\n}  // namespace covary\n")
  file(RENAME "${output}.new" "${output}")
  return()
endif()

function(covary_embed target file name)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -Dinput=${file} -Doutput=${output} -Dname=${name}
      -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${file} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    COMMENT "Embedding ${file}" VERBATIM)
  target_sources(${target} PRIVATE ${output})
  # A literal beyond the minimum that the standard asks for; both compilers take it.
  set_source_files_properties(${output} PROPERTIES COMPILE_OPTIONS "-Wno-overlength-strings")
endfunction()
