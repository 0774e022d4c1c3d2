# SPDX-License-Identifier: Apache-2.0
# A mixture-of-experts layer on a chip, the same program on every tile. A token lives at one tile, its home: there it is quantised,
# then multicast to the tiles that hold experts chosen for it. They compute those experts and the weighted sum of their results, and
# the sums are reduced in the network to the home. Which experts, and with which weights, stands in a table of the tokens.
# An expert: swiglu(W1 x + b1) with gates in the upper and linear parts in the lower half of W1's rows, then W2 ... + b2.
# FA is the format of activations; T1, T2 are the row tiles of W1 and W2, both even. Tokens are reduced in groups 0 to 2 in turn; a
# barrier of group 3 after every third keeps two sets of one number apart (docs/net.md, 2).
.equ P_TOKENS, 0x00
.equ P_TABLE,  0x04
.equ P_ALL_LO, 0x08     # all tiles of the layer
.equ P_ALL_HI, 0x0c
.equ P_ROOT,   0x10     # of the barriers
.equ P_HOME,   0x14     # tokens that live here
.equ P_X_HBM,  0x18     # their values, FP32
.equ P_X_LEN,  0x1c     # beats
.equ P_X,      0x20     # in the scratchpad
.equ P_STAGE,  0x24     # panels of the home's tokens
.equ P_KB1,    0x28     # blocks of a token
.equ P_KB2,    0x2c     # blocks of the inner vector
.equ P_W_LEN,  0x30     # beats of an expert
.equ P_W,      0x34     # two buffers of an expert: W1, W2, b1, b2
.equ P_W_SUM,  0x38     # sum of their addresses
.equ P_W2,     0x3c     # offsets in an expert
.equ P_B1,     0x40
.equ P_B2,     0x44
.equ P_TILE1,  0x48     # bytes of a row tile of W1 and W2
.equ P_TILE2,  0x4c
.equ P_SCL1,   0x50     # offset of its scales
.equ P_SCL2,   0x54
.equ P_H,      0x58     # W1 x: gates, then linear parts
.equ P_UP,     0x5c     # the linear parts
.equ P_N1,     0x60     # rows of W1, half of them, rows of W2
.equ P_HALF,   0x64
.equ P_N2,     0x68
.equ P_G,      0x6c     # result of swiglu
.equ P_GA,     0x70     # ... quantised
.equ P_Y,      0x74     # result of an expert
.equ P_ACC,    0x78     # weighted sum
.equ P_LIMIT,  0x7c
.equ P_SLOPE,  0x80     # -alpha * log2(e)
.equ P_OUT,    0x84     # results of the home's tokens
.equ P_Y_HBM,  0x88
.equ P_Y_LEN,  0x8c     # beats of all of them
.equ P_WORDS,  0x90     # 32-byte words of a token's result
.equ P_PWORDS, 0x94     # ... of its panel
# a token in the table
.equ T_EXPERTS, 0       # here
.equ T_LO,      4       # tiles that compute
.equ T_HI,      8
.equ T_ROOT,   12       # home
.equ T_ROLE,   16       # 1: home, 2: takes part in the reduction
.equ T_PANEL,  20       # where the panel is at every tile
.equ T_OUT,    24       # where the home's result goes
.equ T_FIRST,  32       # experts: place in HBM, weight
.equ T_BYTES,  64
.equ BLK,      64       # of a panel: 32 bytes of codes, or 16 and padding, and 32 that begin with the scale

.sem x_here, s0
.sem w_full, s1
.sem w_free, s2
.sem quant, s3
.sem ready, s4
.sem h_full, s5
.sem h_free, s6
.sem act, s7
.sem y_full, s8
.sem y_free, s9
.sem sum, s10
.sem sum_free, s11
.sem fin, s12
.thread 0, load
.thread 1, main

# One row tile of weights at w times the panel a: 8 rows to r8, which goes on, as w does. r4 is 1, r5 BLK, r9 32.
.macro row_tile w, ws, scales, bytes, a, as, kb, group
        add   \ws, \w, \scales
        mm    w=\w, ws=\ws, a=\a, as=\as, kb=\kb, n=r4, astep=r5, asstep=r5, fa=FA, fw=mxfp4, init, cg=\group
        mst   dst=r8, pitch=r9, n=r4, cg=\group
        add   \w, \w, \bytes
        addi  r8, r8, 32
.endm
# The reduction of a token in the group of its turn, with these posts; r1 to r3 are the set and root, r4 to r6 its operands.
.macro reduce_in group, posts=
        ngroup lo=r1, hi=r2, root=r3, g=\group
        nred  dst=r5, src=r4, len=r6, g=\group \posts
        jmp   next_token
.endm
.macro reduce_in_turn posts=
        li    r18, 1
        beq   r31, r18, second\@
        blt   r18, r31, third\@
        reduce_in 0, \posts
second\@:
        reduce_in 1, \posts
third\@:
        reduce_in 2, \posts
.endm

load:
        lw    r1, P_X_LEN(r0)
        beq   r1, r0, no_x
        lw    r2, P_X_HBM(r0)
        lw    r3, P_X(r0)
        ld    spad=r3, hbm=r2, len=r1, npc=2 post x_here
no_x:
        lw    r10, P_TOKENS(r0)
        lw    r11, P_TABLE(r0)
        lw    r12, P_W_LEN(r0)
        lw    r13, P_W(r0)
        lw    r14, P_W_SUM(r0)
        li    r15, 2
        spost w_free, r15
        loop  r10, loaded
        lw    r16, T_EXPERTS(r11)
        addi  r17, r11, T_FIRST
        loop  r16, next_load
        lw    r18, 0(r17)
        ld    spad=r13, hbm=r18, len=r12, npc=2 wait w_free post w_full
        sub   r13, r14, r13
        addi  r17, r17, 8
next_load:
        addi  r11, r11, T_BYTES
loaded:
        halt

main:
        lw    r1, P_ALL_LO(r0)
        lw    r2, P_ALL_HI(r0)
        lw    r3, P_ROOT(r0)
        ngroup lo=r1, hi=r2, root=r3, g=3
        li    r4, 1
        spost h_free, r4
        spost y_free, r4
        spost sum_free, r4
        lw    r5, P_HOME(r0)
        beq   r5, r0, sent
        sync  wait x_here

# The home's tokens: quantised, then sent to the tiles that compute.
        lw    r10, P_TOKENS(r0)
        lw    r11, P_TABLE(r0)
        lw    r5, P_X(r0)
        lw    r6, P_STAGE(r0)
        lw    r7, P_KB1(r0)
        lw    r8, P_PWORDS(r0)
        li    r9, BLK
        li    r12, 128
        loop  r10, sent
        lw    r13, T_ROLE(r11)
        andi  r13, r13, 1
        beq   r13, r0, next_send
        shli  r14, r8, 3
        vfill dst=r6, n=r14, s=r0       # what lies between codes and scales is sent too
        addi  r14, r6, 32
        vqnt  dst=r6, src=r5, nblk=r7, scl=r14, dstep=r9, sstep=r12, cstep=r9, fmt=FA post quant
        lw    r1, T_LO(r11)
        lw    r2, T_HI(r11)
        lw    r3, T_ROOT(r11)
        lw    r15, T_PANEL(r11)
        ngroup lo=r1, hi=r2, root=r3, g=0
        nmc   dst=r15, src=r6, len=r8, g=0 wait quant
        shli  r16, r7, 7
        add   r5, r5, r16
        shli  r16, r8, 5
        add   r6, r6, r16
next_send:
        addi  r11, r11, T_BYTES
sent:
        nbar  g=3 post ready
        sync  wait ready

# Token after token: the experts that are here, and the reduction.
        lw    r10, P_TOKENS(r0)
        lw    r11, P_TABLE(r0)
        lw    r13, P_W(r0)
        li    r31, 0
        loop  r10, all_done
        lw    r1, T_ROLE(r11)
        andi  r1, r1, 2
        beq   r1, r0, next_token
        lw    r16, T_EXPERTS(r11)
        addi  r17, r11, T_FIRST
        li    r18, 0
        loop  r16, reduce

        # W1 x
        mxusync wait w_full, h_free
        lw    r1, T_PANEL(r11)
        addi  r2, r1, 32
        lw    r3, P_KB1(r0)
        li    r4, 1
        li    r5, BLK
        lw    r6, P_TILE1(r0)
        lw    r7, P_SCL1(r0)
        lw    r8, P_H(r0)
        li    r9, 32
        mv    r19, r13
        li    r20, T1 / 2
        loop  r20, first_done
        row_tile r19, r21, r7, r6, r1, r2, r3, 0
        row_tile r19, r21, r7, r6, r1, r2, r3, 1
first_done:
        mxusync post h_full

        # bias, swiglu, quantise
        lw    r1, P_H(r0)
        lw    r2, P_B1(r0)
        add   r2, r2, r13
        lw    r3, P_N1(r0)
        lw    r4, P_UP(r0)
        lw    r6, P_HALF(r0)
        lw    r7, P_LIMIT(r0)
        lw    r8, P_SLOPE(r0)
        lw    r19, P_G(r0)
        lw    r20, P_GA(r0)
        addi  r21, r20, 32
        lw    r22, P_KB2(r0)
        li    r23, 128
        vadd  dst=r1, src=r1, src2=r2, n=r3 wait h_full
        vswiglu dst=r19, src=r1, src2=r4, n=r6, s=r7, k=r8 post h_free
        vqnt  dst=r20, src=r19, nblk=r22, scl=r21, dstep=r5, sstep=r23, cstep=r5, fmt=FA post act

        # W2
        mxusync wait act, y_free
        lw    r2, P_W2(r0)
        add   r19, r13, r2
        lw    r6, P_TILE2(r0)
        lw    r7, P_SCL2(r0)
        lw    r8, P_Y(r0)
        li    r4, 1
        li    r24, T2 / 2
        loop  r24, second_done
        row_tile r19, r23, r7, r6, r20, r21, r22, 2
        row_tile r19, r23, r7, r6, r20, r21, r22, 3
second_done:
        mxusync post y_full

        # bias, weight, sum over the experts of this tile
        lw    r1, P_Y(r0)
        lw    r2, P_B2(r0)
        add   r2, r2, r13
        lw    r3, P_N2(r0)
        lw    r4, P_ACC(r0)
        lw    r6, 4(r17)
        vadd  dst=r1, src=r1, src2=r2, n=r3 wait y_full post w_free
        bne   r18, r0, add_on
        vmuls dst=r4, src=r1, n=r3, s=r6 wait sum_free post y_free
        jmp   added
add_on:
        vfmas dst=r4, src=r1, src2=r4, n=r3, s=r6 post y_free
added:
        li    r18, 1
        lw    r14, P_W_SUM(r0)
        sub   r13, r14, r13
        addi  r17, r17, 8
reduce:
        lw    r1, T_LO(r11)
        lw    r2, T_HI(r11)
        lw    r3, T_ROOT(r11)
        lw    r4, P_ACC(r0)
        lw    r5, T_OUT(r11)
        lw    r6, P_WORDS(r0)
        lw    r16, T_EXPERTS(r11)
        beq   r16, r0, no_sum           # a home without an expert of this token has no part in the sum
        vsync post sum
        nsync wait sum
        reduce_in_turn post sum_free
no_sum:
        reduce_in_turn
next_token:
        addi  r11, r11, T_BYTES
        addi  r31, r31, 1
        li    r1, 3
        bne   r31, r1, same_round
        li    r31, 0
        nbar  g=3
same_round:
        nop
all_done:
        nsync post fin
        lw    r1, P_Y_LEN(r0)
        beq   r1, r0, finished
        lw    r2, P_OUT(r0)
        lw    r3, P_Y_HBM(r0)
        st    spad=r2, hbm=r3, len=r1, npc=1 wait fin
finished:
        halt
