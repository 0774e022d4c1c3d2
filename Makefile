# SPDX-License-Identifier: Apache-2.0
# Everything that a user or contributor does; `make` lists it. Needs nothing installed but make itself.
SHELL := /bin/bash
JOBS  ?= $(shell nproc)
# Form of the matrix unit's cells in simulation, `plain` or `structural`; kept until it is set again.
MXU_CELL ?=
# Arguments for `make sim`, for example SIM_ARGS="--model models/nano-gptoss".
SIM_ARGS ?=
# Arguments for `make cocotb`, for example COCOTB_ARGS="--seed 7" (scripts/run_cocotb.py).
COCOTB_ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help setup build sim test regress cocotb lint format generate mutate synth formal netlist fpga docs clean

help: ## lists the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 18

setup: ## installs the Debian packages and Python tools that are missing, and says which
	@scripts/setup.sh

build: setup ## compiles everything into build/
	@[[ -f build/build.ninja ]] || cmake --preset release
	@[[ -z "$(MXU_CELL)" ]] || cmake -S . -B build -DTEPIN_MXU_CELL=$(MXU_CELL) > /dev/null
	@cmake --build build -j $(JOBS)

sim: build ## the demonstration: real weights through the hardware, checked bit for bit against the golden model
	@build/tepin sim $(SIM_ARGS)

test: build ## all tests a contributor needs before a commit (under 15 minutes on two cores)
	@scripts/run_tests.sh build $(JOBS) -LE regress

regress: build ## every test, the long ones too
	@scripts/run_tests.sh build $(JOBS)

cocotb: setup ## an AXI master that is not ours (cocotbext-axi) before the HBM4 controller, a DRAM in Python behind it
	@.venv/bin/python scripts/run_cocotb.py $(COCOTB_ARGS)

lint: setup ## checks generated files, SystemVerilog (three readers), formatting
	@scripts/lint.sh

format: setup ## applies clang-format and Verible's formatter
	@scripts/format.sh

generate: setup ## makes every generated file from its definition
	@.venv/bin/python scripts/gen_isa.py
	@.venv/bin/python scripts/gen_regs.py

mutate: build ## plants faults in a copy of the RTL, the tests must notice (30 minutes); UNIT=mxu: 220 sampled in one unit
	@$(if $(filter mxu,$(UNIT)),scripts/mutate_mxu.py,scripts/mutate.py)

synth formal netlist: UNIT ?= mxu
synth: setup ## area in NAND2 equivalents and critical paths of a unit (UNIT=mxu, 45 s; UNIT=hbm, 9 min; UNIT=noc, 5 min)
	@.venv/bin/python scripts/synth/synth.py --unit $(UNIT)

formal: setup ## proofs of a unit (UNIT=mxu, hbm or noc)
	@.venv/bin/python scripts/formal/formal.py --unit $(UNIT)

netlist: build ## maps a small unit to gates and runs its tests on them (UNIT=mxu)
	@.venv/bin/python scripts/synth/netlist.py --unit $(UNIT)

fpga: ## a bitstream
	@echo "make fpga: does not exist yet" >&2; exit 2

docs: generate ## reference pages from their definitions; register pages go to out/registers
	@mkdir -p out
	@.venv/bin/python scripts/gen_regs.py --html out/registers
	@echo "docs/reference is up to date; registers: out/registers/csr/index.html"

clean: ## removes build folders and outputs; .venv stays
	@rm -rf build build-debug out
