// SPDX-License-Identifier: Apache-2.0
// Which form of the matrix unit's cells: the structural one in synthesis, or where it is asked for. Every
// file that tests the macro includes this: a definition in one file does not reach the others in a
// reader that takes each as a compilation unit of its own.
`ifndef TEPIN_MXU_STRUCTURAL
`ifdef SYNTHESIS
`define TEPIN_MXU_STRUCTURAL
`endif
`endif
