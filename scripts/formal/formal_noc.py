# SPDX-License-Identifier: Apache-2.0
"""Proofs of the mesh's router: the same flow and methods as formal_hbm.py (Yosys writes AIGER, ABC proves)."""

import formal_hbm

LINK = ["noc_pkg", "common_arbiter", "noc_pool", "noc_output"]
DN = ["noc_pkg", "noc_coll_pkg", "common_arbiter", "noc_dn_sender", "noc_dn_fifo", "noc_dn"]
UP = ["noc_pkg", "noc_coll_pkg", "common_fp_or", "common_arbiter", "noc_up_sender", "noc_up_pool", "noc_up_choice", "noc_up_join", "noc_up"]
JOIN = ["noc_pkg", "noc_coll_pkg", "common_fp_terms", "noc_up_join"]
PROMISES = "^(?!.*_C$)"
# What the RTL asserts of its neighbours is not so of groups that send what they like.
UP_PROMISES = "^(?!.*(_C$|DataFollowTheirHead|LastAgrees))"
PROOFS = {
    "noc_link": ("noc_link_proof", "-GDepth=2", LINK, "", "merge", 0),
    "noc_link4": ("noc_link_proof", "-GDepth=4", LINK, "", "step", 3),
    "noc_router": ("noc_router_proof", "-GDepth=2", [*LINK, "noc_router"], "", "merge", 0),
    "noc_router4": ("noc_router_proof", "-GDepth=4", [*LINK, "noc_router"], "", "step", 3),
    "noc_dn": ("noc_dn_proof", "-GDepth=2", DN, PROMISES, "step", 3),
    "noc_dn4": ("noc_dn_proof", "-GDepth=4", DN, PROMISES, "step", 3),
    "noc_dn_reach": ("noc_dn_proof", "-GDepth=2", DN, "_C$", "reach", 16),
    "noc_up": ("noc_up_proof", "-GShared=1", UP, UP_PROMISES, "split", 2),
    "noc_up_reach": ("noc_up_proof", "-GShared=1", UP, "_C$", "reach", 20),
    "noc_up_join": ("noc_up_join_proof", "", JOIN, PROMISES, "step", 4),
    "noc_up_join_reach": ("noc_up_join_proof", "", JOIN, "_C$", "reach", 8),
}


def prove(name):
    return formal_hbm.prove(name, PROOFS)
