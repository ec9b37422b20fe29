# Tasks of this repository. `make` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules --no-print-directory

BUILD := swift build --explicit-target-dependency-import-check error
RELEASE := .build/release
# Programs with Swift's libraries linked in need no installed Swift, and call them directly. Toolchains without static
# libraries link the shared ones.
SWIFT_HOME = $(realpath $(dir $(realpath $(shell command -v swift)))..)
STATIC = $(if $(wildcard $(SWIFT_HOME)/lib/swift_static/linux),--static-swift-stdlib)
# The folder of a build leaves no trace in its programs, so that every clone builds the same.
ANYWHERE := -Xcc -ffile-prefix-map=$(CURDIR)=/countersign -Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=/countersign \
    -Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs
# No library looks for a program's symbols, and relative relocations take a few bytes in place of 24 each (glibc 2.36). Swift's
# own linker knows both on every Debian.
SMALL := -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic -Xlinker -z -Xlinker pack-relative-relocs
# Expanded macros stand in the debug information by the paths of their temporary files.
OPTIMIZED = TMPDIR=/tmp $(BUILD) -c release $(STATIC) $(ANYWHERE) $(SMALL)
STYLED := $(wildcard Sources Tests Package.swift Benchmarks/Sources Benchmarks/Tests)
# Scripts for checks that the test suite cannot do. Each describes its checks.
CHECKS := $(sort $(filter-out scripts/check-dist,$(wildcard scripts/check-*))) scripts/build-docs.sh

## demo     plays a request, the phone's consent and the tokens with their HTTP exchanges, then serves your own phone
##          until Ctrl-C; ends with "demo: ok"
.PHONY: demo
demo: release
	"$(RELEASE)/countersign-demo"

## serve    runs a development server; ARGS="…" are options of `countersign serve`
.PHONY: serve
serve: release
	"$(RELEASE)/countersign" serve $(ARGS)

## build    builds for debugging, with the tests
.PHONY: build
build: toolchain
	scripts/install-packages.sh
	$(BUILD) --build-tests

## release  builds countersign, guardian and countersign-demo in .build/release
.PHONY: release
release: toolchain
	scripts/install-packages.sh
	$(OPTIMIZED) --product countersign
	$(OPTIMIZED) --product guardian
	$(OPTIMIZED) --product countersign-demo

## dist     makes the artifacts of a release in .build/dist: package, tarball, image, bills of materials, check sums; and
##          tries each, in some minutes
.PHONY: dist
dist: release
	scripts/install-packages.sh dist
	scripts/dist
	scripts/check-dist --made

## twice    builds the commit in two clones in different folders, and compares their artifacts
.PHONY: twice
twice: toolchain
	scripts/install-packages.sh dist
	scripts/build-twice

# Tests share processors. With too many at once, they run into their time limits.
TEST = SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(1) swift test --skip-build --disable-xctest
# These tests start several programs with time limits, so they do not run beside tests that use every processor.
PROGRAM_TESTS := CountersignServerTests|EndToEndTests

# Each step of a long run says what it does.
STEP = @echo "== $(1)"

# Packages from PyPI come while the compiler works. Checks wait for them, and try again if they could not be had.
DOWNLOAD = @scripts/interop-environment $(1) > .build/interop.log 2>&1 &

## test     runs lint, the checks and the test suite; FILTER=Name runs a part of the suite
.PHONY: test
test: toolchain
	$(call STEP,lint)
	$(MAKE) lint
	$(call STEP,build)
	scripts/install-packages.sh test
	@mkdir -p .build
	$(call DOWNLOAD,'' ai agents)
	$(MAKE) cost-programs
	$(BUILD) --build-tests
	for check in $(CHECKS); do echo "== $$check"; "$$check"; done
ifdef FILTER
	$(call STEP,tests of $(FILTER))
	$(call TEST,16) --filter "$(FILTER)"
else
	$(call STEP,tests in process)
	$(call TEST,16) --skip "$(PROGRAM_TESTS)"
	$(call STEP,flows over a store that behaves like a database server)
	COUNTERSIGN_TEST_STORE=serverLike $(call TEST,16) --filter "^FlowsTests\."
	$(call STEP,flows over PostgreSQL)
	COUNTERSIGN_TEST_STORE=postgreSQL $(call TEST,16) --filter "^FlowsTests\."
	$(call STEP,tests of the programs)
	$(call TEST,8) --filter "$(PROGRAM_TESTS)"
	$(call STEP,faults of three nodes)
	.build/debug/faults --server .build/debug/countersign --seconds 60
	$(call STEP,faults of one node on SQLite)
	.build/debug/faults --server .build/debug/countersign --seconds 15 --store sqlite
	$(call STEP,500 flows over three nodes)
	.build/debug/faults --server .build/debug/countersign --flows 500 --no-faults
endif

## faults   kills nodes and database servers, impairs networks and fills disks under load for ten minutes, and judges by
##          clients' histories that nothing acknowledged is lost; ARGS="--seconds 60 --seed N"
.PHONY: faults
faults: release
	scripts/install-packages.sh test bench
	$(OPTIMIZED) --product faults
	"$(RELEASE)/faults" $(ARGS)

## tsan     runs the whole test suite under the thread sanitizer, in a separate build; FILTER=Name runs a part
.PHONY: tsan
tsan: toolchain
	scripts/install-packages.sh test
ifdef FILTER
	scripts/test-threads.sh --filter "$(FILTER)"
else
	scripts/test-threads.sh "$(PROGRAM_TESTS)"
endif

## fuzz     fuzzes the parsers for longer; FUZZ_ITERATIONS=N sets the number of inputs
.PHONY: fuzz
fuzz: toolchain
	scripts/install-packages.sh
	$(BUILD) --build-tests
	FUZZ_ITERATIONS="$${FUZZ_ITERATIONS:-2000000}" swift test --skip-build --disable-xctest --filter "Fuzz"

## races    lets two nodes race for one row 200,000 times of each kind over PostgreSQL; RACES=N sets the number
.PHONY: races
races: toolchain
	scripts/install-packages.sh test
	$(BUILD) --build-tests
	COUNTERSIGN_RACES="$${RACES:-200000}" swift test --skip-build --disable-xctest --filter "PersistenceTests.RaceTests"

## cost     counts what each request of fixed loads executes, and fails if it rose above docs/performance.md; ARGS="--write"
##          writes the numbers
.PHONY: cost
cost: cost-programs
	scripts/check-cost $(ARGS)

.PHONY: cost-programs
cost-programs: toolchain
	scripts/install-packages.sh bench
	$(OPTIMIZED) --product cost
	$(OPTIMIZED) --product bench

## bench    compares measurements with references, as a table and .build/bench.json
.PHONY: bench
bench: release
	scripts/install-packages.sh bench
	$(OPTIMIZED) --product bench
	"$(RELEASE)/bench" $(ARGS)

## python   builds the package countersign for Python, as sdist and wheel in .build/python
.PHONY: python
python:
	rm -rf .build/python
	. scripts/interop-environment && environment agents
	.build/interop-agents/bin/python -m build --no-isolation --outdir .build/python Clients/Python

## docs     builds the SDKs' documentation in .build/docs (DocC)
.PHONY: docs
docs: toolchain
	scripts/install-packages.sh docs
	$(BUILD) --target Guardian
	$(BUILD) --target CountersignClient
	scripts/build-docs.sh

## typescript  packs the client for TypeScript as .build/typescript/countersign.tgz
.PHONY: typescript
typescript:
	scripts/build-typescript

## lint     checks the code's layout against .swift-format
.PHONY: lint
lint: toolchain
	swift format lint --strict --recursive --parallel $(STYLED)

## format   formats the code for lint
.PHONY: format
format: toolchain
	swift format --in-place --recursive --parallel $(STYLED)

## clean    deletes all build results
.PHONY: clean
clean:
	rm -rf .build

## help     prints this list
.PHONY: help
help:
	@echo "Usage: make TARGET"
	@echo
	@sed -n 's/^## /  /p' Makefile

.PHONY: toolchain
toolchain:
	@command -v swift >/dev/null || { \
	    echo "error: swift is not in the PATH" >&2; \
	    echo "hint: Swift 6.2 or newer for Debian 12: https://www.swift.org/install/linux" >&2; \
	    exit 1; \
	}
