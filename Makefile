# What people do with a checkout.  CMake does the work; `make VARIABLE=value` changes what is below.
BUILD ?= build
SANITIZED ?= build-sanitize
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
# A shell does not expand ~ inside of an option, and the build must know where it will be installed.
override PREFIX := $(abspath $(patsubst ~/%,$(HOME)/%,$(PREFIX)))
# How far a build is: steps done and in all, and seconds since its start.
export NINJA_STATUS ?= [%f/%t, %e s] 

# Ninja where it is installed and no other generator was chosen before.
generator = $(if $(wildcard $(1)/CMakeCache.txt),,$(if $(shell command -v ninja),-G Ninja))

.PHONY: all build packages demo test campaign sanitize install clean help

all: build

help:
	@echo 'make            build the library, the tool, the examples and the tests in $(BUILD)/'
	@echo 'make demo       install what is missing, build, and show what Filigree can do'
	@echo 'make test       install what is missing, build, and run the tests'
	@echo 'make sanitize   build with address and undefined-behaviour sanitizers, and run the tests'
	@echo 'make campaign   the full counts of all tests; takes long'
	@echo 'make install    install under PREFIX (default /usr/local)'
	@echo 'make bench      install peers, and time kernels beside them; about ten minutes. Parts: bench/run KERNEL...'
	@echo 'make clean      remove what was built'

build:
	@echo 'building in $(BUILD)/: the library, the tool, the examples and the tests'
	@cmake -S . -B $(BUILD) $(call generator,$(BUILD)) -DCMAKE_INSTALL_PREFIX=$(PREFIX) -Wno-dev --log-level=WARNING
	@cmake --build $(BUILD) -j $(JOBS)

packages:
	@scripts/install_packages.sh

demo: packages
	@$(MAKE) --no-print-directory tool
	@scripts/demo.sh $(BUILD)/bin/filigree

.PHONY: tool
tool:
	@echo 'building the command line tool in $(BUILD)/: about five minutes on two cores the first time'
	@cmake -S . -B $(BUILD) $(call generator,$(BUILD)) -DCMAKE_INSTALL_PREFIX=$(PREFIX) -Wno-dev --log-level=WARNING
	@cmake --build $(BUILD) -j $(JOBS) --target filigree_tool

test: packages
	@scripts/python_environment.sh $(BUILD)/python
	@$(MAKE) --no-print-directory build
	@scripts/test.sh $(BUILD)

.PHONY: build-sanitized
build-sanitized: packages
	@cmake -S . -B $(SANITIZED) $(call generator,$(SANITIZED)) -DFILIGREE_SANITIZE=address,undefined -Wno-dev --log-level=WARNING
	@cmake --build $(SANITIZED) -j $(JOBS)

sanitize: build-sanitized
	@scripts/test.sh $(SANITIZED) -LE slow

campaign: packages
	@scripts/python_environment.sh $(BUILD)/python
	@$(MAKE) --no-print-directory build
	@$(MAKE) --no-print-directory build-sanitized
	@scripts/campaign.sh $(BUILD) $(SANITIZED)

# ARGUMENTS go to bench/run, such as ARGUMENTS=--quick.
.PHONY: bench
bench: packages
	@bench/run --build $(BUILD) $(ARGUMENTS)

install: packages
	@$(MAKE) --no-print-directory build
	@cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	@rm -rf $(BUILD) $(SANITIZED)
