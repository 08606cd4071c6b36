# leat_flags: the compiler and linker flags of every target of the project. leat_library_flags: those of the library alone.
# leat_object_flags: how the objects of the library become one.
add_library(leat_flags INTERFACE)
target_compile_options(leat_flags INTERFACE
  -Wall -Wextra -Wshadow -Wvla -Wconversion -Wundef -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes
  -ffp-contract=off -fvisibility=hidden)
target_compile_definitions(leat_flags INTERFACE _GNU_SOURCE)
set(CMAKE_C_FLAGS_DEV "-Og -g")
set(CMAKE_C_FLAGS_RELEASE "-O2")
add_library(leat_library_flags INTERFACE)
set(leat_object_flags "")
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  # GCC's -Wmaybe-uninitialized follows no LT_TRY across inlined calls at -O2; the dev and asan builds watch these reads.
  target_compile_options(leat_flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong -Wno-maybe-uninitialized)
  target_link_options(leat_flags INTERFACE LINKER:-z,relro,-z,now)
  # The objects are fat: tests link them without optimising the whole library once more.
  target_compile_options(leat_library_flags INTERFACE -flto=auto -ffat-lto-objects)
  target_link_options(leat_flags INTERFACE -fno-lto)
  # Loops over lanes, which -O2 does not turn into vectors.
  file(GLOB leat_lane_loops exec/aggregates/*.c exec/functions/arithmetic*.c exec/functions/bitwise.c exec/functions/comparison*.c
    exec/functions/null_tests.c exec/kernels/compare_bits.c exec/evaluate.c exec/table.c exec/aggregation/call.c)
  set_source_files_properties(${leat_lane_loops} PROPERTIES COMPILE_OPTIONS "-O3")
  set(leat_object_flags -O2 -flto=auto -flinker-output=nolto-rel)
endif()
if(LEAT_ASSERTS)
  target_compile_definitions(leat_flags INTERFACE LT_ASSERTS=1)
endif()
if(LEAT_WERROR)
  target_compile_options(leat_flags INTERFACE -Werror)
endif()
if(LEAT_SANITIZE)
  target_compile_options(leat_flags INTERFACE -fsanitize=${LEAT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(leat_flags INTERFACE -fsanitize=${LEAT_SANITIZE})
else()
  # Sanitizers inflate frames, so the frame limit is for the other builds.
  target_compile_options(leat_library_flags INTERFACE -Wframe-larger-than=4096)
endif()
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
endif()
