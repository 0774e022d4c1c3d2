# SPDX-License-Identifier: Apache-2.0
# Timing of one tile, for any flow that reads SDC. One clock; every output is a flip-flop and every input goes straight to
# one (the buffers on the ports), so the boundary needs little of the cycle on either side.
set period 4.0   ;# ns; a board or library sets its own
create_clock -name clk -period $period [get_ports clk_i]
set inputs [remove_from_collection [all_inputs] [get_ports {clk_i rst_ni}]]
set_input_delay  [expr 0.6 * $period] -clock clk $inputs
set_output_delay [expr 0.6 * $period] -clock clk [all_outputs]
# Released synchronously outside the tile.
set_false_path -from [get_ports rst_ni]
