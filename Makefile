# SPDX-License-Identifier: Apache-2.0
# Everything that a user or contributor does; `make` lists it. Needs nothing installed but make itself.
SHELL := /bin/bash
JOBS  ?= $(shell nproc)
# Arguments for `make sim`, for example SIM_ARGS="--model models/nano-gptoss".
SIM_ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help setup build sim test regress lint format generate mutate synth formal fpga docs clean

help: ## lists the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 18

setup: ## installs the Debian packages and Python tools that are missing, and says which
	@scripts/setup.sh

build: setup ## compiles everything into build/
	@[[ -f build/build.ninja ]] || cmake --preset release
	@cmake --build build -j $(JOBS)

sim: build ## the demonstration: real weights through the hardware, checked bit for bit against the golden model
	@build/tepin sim $(SIM_ARGS)

test: build ## all tests a contributor needs before a commit (under 15 minutes on two cores)
	@scripts/run_tests.sh build $(JOBS) -LE regress

regress: build ## every test, the long ones too
	@scripts/run_tests.sh build $(JOBS)

lint: setup ## checks generated files, SystemVerilog (three readers), formatting
	@scripts/lint.sh

format: setup ## applies clang-format and Verible's formatter
	@scripts/format.sh

generate: setup ## makes every generated file from its definition
	@.venv/bin/python scripts/gen_isa.py
	@.venv/bin/python scripts/gen_regs.py

mutate: build ## plants single faults in a copy of the RTL; the tests must notice each (about 30 minutes)
	@scripts/mutate.py

synth: setup ## area of the hardware in NAND2 equivalents
	@if [[ -x scripts/synth.sh ]]; then scripts/synth.sh; else echo "make synth: does not exist yet" >&2; exit 2; fi

formal: ## proofs
	@echo "make formal: does not exist yet" >&2; exit 2

fpga: ## a bitstream
	@echo "make fpga: does not exist yet" >&2; exit 2

docs: generate ## reference pages from their definitions; register pages go to out/registers
	@mkdir -p out
	@.venv/bin/python scripts/gen_regs.py --html out/registers
	@echo "docs/reference is up to date; registers: out/registers/csr/index.html"

clean: ## removes build folders and outputs; .venv stays
	@rm -rf build build-debug out
