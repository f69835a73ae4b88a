# Flags of our own targets only; nothing here reaches a project that links covary.
# No -march: what is installed runs on every x86-64 and ARM64 machine.
add_library(covary_compile_flags INTERFACE)
target_compile_options(covary_compile_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wformat=2 -Wdouble-promotion -Werror
  -fopenmp-simd)  # loops marked `omp simd` may reorder their sums
if(COVARY_SANITIZE)
  foreach(action compile_options link_options)
    cmake_language(CALL target_${action} covary_compile_flags INTERFACE
      -fsanitize=${COVARY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  endforeach()
endif()
if(COVARY_COVERAGE)
  target_compile_options(covary_compile_flags INTERFACE --coverage)
  target_link_options(covary_compile_flags INTERFACE --coverage)
endif()
if(COVARY_FUZZ)
  target_compile_options(covary_compile_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
