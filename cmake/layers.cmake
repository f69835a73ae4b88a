# covary_layer(NAME SOURCES a.cpp ...): one OBJECT library per folder of src/.
# Which layer may include which is not said here but in docs/layers.json, and tested.
function(covary_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "SOURCES")
  add_library(covary_${name} OBJECT ${layer_SOURCES})
  target_include_directories(covary_${name}
    PUBLIC ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(covary_${name} PRIVATE covary_compile_flags fmt::fmt)
  set_property(GLOBAL APPEND PROPERTY COVARY_LAYERS covary_${name})
endfunction()

# For layers whose inner loops are to become vector code: comparisons may be turned into selects.
# Results stay those of IEEE arithmetic.
function(covary_vector_code target)
  target_compile_options(${target} PRIVATE -O3 -fno-math-errno -fno-trapping-math)
endfunction()
