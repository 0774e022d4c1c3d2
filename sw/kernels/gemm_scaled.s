# SPDX-License-Identifier: Apache-2.0
# Matrix product with an FP32 scale for each 128 x 128 elements of W: four blocks of K accumulate to p from +0 in the matrix
# unit, then Y = fma(p, scale, Y) in the vector unit (docs/numerics.md, 4). W and X both stream in pieces of P_PKB blocks,
# a multiple of 16. A row tile's piece of W is its codes, its block scales, then an FP32 word for each 4 blocks.
# Four threads: load; product, one mm and mst for each 4 blocks; scale, the vector unit's part; store. p goes through four
# buffers in turn, so that the matrix unit does not wait for the vector unit, and as far as n allows through accumulators
# of their own (CG1..CG3: their first column groups), so that it does not wait for its own stores. MOVES is 0 if all block scales of W are the same, so that the first ones serve for all, else 1.

.equ P_NT,     0x00     # column tiles
.equ P_MT,     0x04     # row tiles
.equ P_N,      0x0c     # columns of a tile
.equ P_W_HBM,  0x10     # first piece of W
.equ P_W_LEN,  0x14     # beats of a piece
.equ P_W_STEP, 0x18     # beats, in a channel, from one piece to the next
.equ P_A_HBM,  0x1c     # first piece of X
.equ P_A_LEN,  0x20
.equ P_A_LAST, 0x24     # beats of the last
.equ P_A_STEP, 0x28
.equ P_NA,     0x2c     # pieces
.equ P_PKB,    0x30     # blocks of a piece
.equ P_Y_HBM,  0x34
.equ P_A_SPAD, 0x38     # two buffers of X
.equ P_A_BLK,  0x3c     # bytes of a block of X
.equ P_A_SCL,  0x40     # offset of the scales in it
.equ P_W_SPAD, 0x44     # two buffers of W
.equ P_W_SIZE, 0x48     # bytes of one
.equ P_Y_SPAD, 0x50     # two Y buffers of n * 32 bytes
.equ P_A_SIZE, 0x54     # bytes of an X buffer
.equ P_W_LAST, 0x58     # beats of a row tile's last piece of W
.equ P_KLAST,  0x5c     # blocks of the last piece
.equ P_W_BLK,  0x60     # bytes of a block of a row tile: codes
.equ P_W_SCL,  0x64     #    scales
.equ P_P_SPAD, 0x68     # four buffers of p, n * 32 bytes
.equ P_BS_OFF, 0x6c     # offset of the FP32 scales in a piece
.equ P_BS_LAST, 0x70    #    in the last
.equ P_QUADS,  0x74     # 16 blocks: how often in a piece,
.equ P_QLAST,  0x78     #    in the last piece
.equ P_FOURS,  0x7c     # then so many times 4 blocks in the last piece, 0..3
.equ P_TAIL,   0x80     # and then so many blocks, 0..3

.sem full, s0           # pieces in the scratchpad, for product
.sem sfull, s1          # and for scale
.sem free, s2           # buffer pairs that product is done with
.sem sfree, s7          # and scale
.sem p0_full, s3
.sem p0_free, s4
.sem p1_full, s8
.sem p1_free, s9
.sem p2_full, s10
.sem p2_free, s11
.sem p3_full, s12
.sem p3_free, s13
.sem y_full, s5
.sem y_free, s6
.thread 0, load
.thread 1, product
.thread 2, scale
.thread 3, store

load:
        lw    r1, P_NT(r0)
        lw    r2, P_MT(r0)
        lw    r4, P_W_LEN(r0)
        lw    r5, P_W_STEP(r0)
        lw    r6, P_A_HBM(r0)
        lw    r7, P_A_LEN(r0)
        lw    r8, P_A_STEP(r0)
        lw    r9, P_NA(r0)
        lw    r10, P_A_SPAD(r0)
        lw    r11, P_W_SPAD(r0)
        lw    r12, P_W_SIZE(r0)
        lw    r13, P_A_LAST(r0)
        lw    r15, P_W_LAST(r0)
        lw    r16, P_A_SIZE(r0)
        li    r17, 2
        spost free, r17
        spost sfree, r17
        li    r22, 0                    # offsets of the buffers in use
        li    r23, 0
        addi  r18, r9, -1
        loop  r1, load_end
        lw    r3, P_W_HBM(r0)
        loop  r2, load_columns
        mv    r20, r6
        loop  r18, load_last
        add   r24, r11, r22
        add   r25, r10, r23
        ld    spad=r24, hbm=r3, len=r4, npc=2 wait free, sfree
        ld    spad=r25, hbm=r20, len=r7, npc=2 post full, sfull
        sub   r22, r12, r22
        sub   r23, r16, r23
        add   r3, r3, r5
        add   r20, r20, r8
load_last:
        add   r24, r11, r22
        add   r25, r10, r23
        ld    spad=r24, hbm=r3, len=r15, npc=2 wait free, sfree
        ld    spad=r25, hbm=r20, len=r13, npc=2 post full, sfull
        sub   r22, r12, r22
        sub   r23, r16, r23
        add   r3, r3, r5
load_columns:
        mul   r21, r9, r8
        add   r6, r6, r21               # next column tile
load_end:
        halt

# blocks from where the pointers stand, to one buffer of p
.macro multiply blocks, p, is_free, is_full, group
        mm    w=r24, ws=r25, a=r27, as=r28, kb=\blocks, n=r4, astep=r8, asstep=r8, fa=FA, fw=FW, init, cg=\group
        mst   dst=\p, pitch=r15, n=r4, cg=\group wait \is_free post \is_full
        add   r24, r24, r20
        add   r27, r27, r26
        add   r28, r28, r26
.rept MOVES
        add   r25, r25, r21
.endr
.endm

# \quads times four groups of four blocks
.macro multiply_quads quads
        loop  \quads, quads_\@
        multiply r31, r17, p0_free, p0_full, 0
        multiply r31, r18, p1_free, p1_full, CG1
        multiply r31, r10, p2_free, p2_full, CG2
        multiply r31, r13, p3_free, p3_full, CG3
quads_\@:
.endm

product:
        lw    r1, P_NT(r0)
        lw    r2, P_MT(r0)
        lw    r3, P_KLAST(r0)
        lw    r4, P_N(r0)
        lw    r5, P_PKB(r0)
        lw    r6, P_NA(r0)
        lw    r7, P_A_SPAD(r0)
        lw    r8, P_A_BLK(r0)
        lw    r9, P_A_SCL(r0)
        lw    r10, P_W_BLK(r0)
        lw    r11, P_W_SPAD(r0)
        lw    r12, P_W_SIZE(r0)
        lw    r13, P_W_SCL(r0)
        lw    r16, P_A_SIZE(r0)
        lw    r17, P_P_SPAD(r0)
        lw    r14, P_QUADS(r0)
        lw    r19, P_QLAST(r0)
        shli  r18, r4, 5
        add   r18, r18, r17             # the other buffer of p
        li    r15, 32
        mul   r1, r1, r2
        shli  r20, r10, 2               # bytes of four blocks: W, its scales, X
        shli  r21, r13, 2
        shli  r26, r8, 2
        mul   r5, r5, r10               # offsets of the scales in a piece of W
        mul   r3, r3, r10
        li    r22, 0                    # offsets of the buffers in use: W, X
        li    r23, 0
        li    r31, 4
        addi  r6, r6, -1                # pieces before the last
        lw    r29, P_FOURS(r0)
        lw    r30, P_TAIL(r0)
        shli  r10, r4, 6                # the other buffers of p
        add   r10, r10, r17
        sub   r13, r10, r17
        add   r13, r13, r18
        sync  post p0_free, p1_free
        sync  post p2_free, p3_free
        loop  r1, product_end
        loop  r6, last_piece
        add   r24, r11, r22
        add   r25, r24, r5
        add   r27, r7, r23
        add   r28, r27, r9
        mxusync wait full
        multiply_quads r14
        mxusync post free
        sub   r22, r12, r22
        sub   r23, r16, r23
last_piece:
        add   r24, r11, r22
        add   r25, r24, r3
        add   r27, r7, r23
        add   r28, r27, r9
        mxusync wait full
        multiply_quads r19
        beq   r29, r0, fours_done
        multiply r31, r17, p0_free, p0_full, 0
        addi  r2, r29, -1
        beq   r2, r0, fours_done
        multiply r31, r18, p1_free, p1_full, CG1
        addi  r2, r29, -2
        beq   r2, r0, fours_done
        multiply r31, r10, p2_free, p2_full, CG2
fours_done:
        beq   r30, r0, no_tail
        multiply r30, r13, p3_free, p3_full, CG3
no_tail:
        mxusync post free
        sub   r22, r12, r22
        sub   r23, r16, r23
product_end:
        halt

# y += p * scale for one group
.macro add_scaled p, is_full, is_free
        lw    r25, (r24)
        vfmas dst=r23, src=\p, n=r16, src2=r23, s=r25 wait \is_full post \is_free
        addi  r24, r24, 4
.endm
.macro add_scaled_quads quads
        loop  \quads, quads_\@
        add_scaled r17, p0_full, p0_free
        add_scaled r18, p1_full, p1_free
        add_scaled r8, p2_full, p2_free
        add_scaled r9, p3_full, p3_free
quads_\@:
.endm

scale:
        lw    r1, P_NT(r0)
        lw    r2, P_MT(r0)
        lw    r4, P_N(r0)
        lw    r6, P_NA(r0)
        lw    r11, P_W_SPAD(r0)
        lw    r12, P_W_SIZE(r0)
        lw    r13, P_BS_OFF(r0)
        lw    r14, P_BS_LAST(r0)
        lw    r17, P_P_SPAD(r0)
        lw    r20, P_Y_SPAD(r0)
        lw    r5, P_QUADS(r0)
        lw    r19, P_QLAST(r0)
        lw    r29, P_FOURS(r0)
        lw    r30, P_TAIL(r0)
        shli  r10, r4, 5                # bytes of a buffer of p or Y
        add   r18, r17, r10             # buffers of p
        add   r8, r18, r10
        add   r9, r8, r10
        shli  r16, r4, 3                # values of a buffer
        mul   r1, r1, r2
        li    r22, 0                    # offsets of the buffers in use: W, Y
        li    r21, 0
        addi  r6, r6, -1
        loop  r1, scale_end
        add   r23, r20, r21
        vfill dst=r23, n=r16, s=r0 wait y_free
        loop  r6, scale_last
        add   r24, r13, r11
        add   r24, r24, r22             # this piece's scales
        sync  wait sfull
        add_scaled_quads r5
        sync  post sfree
        sub   r22, r12, r22
scale_last:
        add   r24, r14, r11
        add   r24, r24, r22
        sync  wait sfull
        add_scaled_quads r19
        beq   r29, r0, scale_fours_done
        add_scaled r17, p0_full, p0_free
        addi  r2, r29, -1
        beq   r2, r0, scale_fours_done
        add_scaled r18, p1_full, p1_free
        addi  r2, r29, -2
        beq   r2, r0, scale_fours_done
        add_scaled r8, p2_full, p2_free
scale_fours_done:
        beq   r30, r0, scale_no_tail
        add_scaled r9, p3_full, p3_free
scale_no_tail:
        sync  post sfree
        sub   r22, r12, r22
        vsync post y_full
        sub   r21, r10, r21
scale_end:
        halt

store:
        lw    r1, P_NT(r0)
        lw    r2, P_MT(r0)
        lw    r4, P_N(r0)
        lw    r5, P_Y_HBM(r0)
        lw    r17, P_Y_SPAD(r0)
        shli  r18, r4, 5
        li    r19, 0
        li    r6, 2
        spost y_free, r6
        li    r7, 1
        addi  r8, r4, -1
        li    r9, 32
        mul   r10, r4, r2
        sub   r10, r10, r2
        loop  r1, store_end
        loop  r2, store_tile
        add   r20, r17, r19
        st    spad=r20, hbm=r5, len=r7, cnt=r8, sstep1=r9, hstep1=r2, npc=1 wait y_full post y_free
        sub   r19, r18, r19
        addi  r5, r5, 1
store_tile:
        add   r5, r5, r10
store_end:
        halt
