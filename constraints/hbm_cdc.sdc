# SPDX-License-Identifier: Apache-2.0
# The crossing between the core's and the memory controller's clock (hbm_cdc, common_cdc_fifo). Load beside the clocks'
# own definitions; core_clk and mem_clk are their names, the periods in ns those of 1.7 GHz and 1.25 GHz.
#
# Gray pointers may be late by any amount but must not be skewed by a period of the source, else two bits could change in
# one sample; data stand for at least two sink periods before the pointer that announces them is seen.
set core_period 0.588
set mem_period 0.8
set shorter [expr {$core_period < $mem_period ? $core_period : $mem_period}]
set_max_delay $shorter -ignore_clock_latency -from [get_clocks core_clk] -to [get_clocks mem_clk]
set_max_delay $shorter -ignore_clock_latency -from [get_clocks mem_clk] -to [get_clocks core_clk]
set_false_path -hold -from [get_clocks core_clk] -to [get_clocks mem_clk]
set_false_path -hold -from [get_clocks mem_clk] -to [get_clocks core_clk]
