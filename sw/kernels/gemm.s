# SPDX-License-Identifier: Apache-2.0
# Tiled matrix product Y = W X: W is M x K in panels of format FW, X is K x N in panels of format FA, Y is FP32, token-major (Y[n][m]).
# The machine's example of overlap: three threads, one an engine, run ahead of each other and meet at semaphores alone.
#
#   load    LD: the activations once a column tile, in pieces; then row tiles of W into a ring of buffers
#   compute MXU: the first row tile piece by piece as the activations arrive, the others in one mm; mst after each
#   store   ST: finished row tiles to memory
#
# HBM: W striped over both pseudo-channels, X too, Y in one. A row tile of W is 8 rows: the codes of kb blocks, then their
# scales. A block of X is n columns of codes, padded to 32 bytes, then 32 bytes that begin with the n scales.
# The host writes the parameters below to the scratchpad before the start.

.equ P_NT,     0x00     # column tiles
.equ P_MT,     0x04     # row tiles
.equ P_KB,     0x08     # blocks of 32 along K
.equ P_N,      0x0c     # columns of a tile
.equ P_W_HBM,  0x10     # W: address of the first row tile
.equ P_W_LEN,  0x14     #    beats of a row tile
.equ P_W_STEP, 0x18     #    beats, in a channel, from one row tile to the next
.equ P_A_HBM,  0x1c     # X: address of the first piece
.equ P_A_LEN,  0x20     #    beats of a piece
.equ P_A_LAST, 0x24     #    beats of a column tile's last piece
.equ P_A_STEP, 0x28     #    beats, in a channel, from one piece to the next
.equ P_NA,     0x2c     #    pieces
.equ P_PKB,    0x30     #    blocks of a piece
.equ P_Y_HBM,  0x34     # Y: address
.equ P_A_SPAD, 0x38     # scratchpad: activations
.equ P_A_BLK,  0x3c     #    bytes of a block
.equ P_A_SCL,  0x40     #    offset of the scales in a block
.equ P_W_SPAD, 0x44     #    ring of W buffers
.equ P_W_SIZE, 0x48     #    bytes of one
.equ P_W_NBUF, 0x4c     #    how many
.equ P_Y_SPAD, 0x50     #    two Y buffers of n * 32 bytes
.equ P_A_FIRST, 0x54    # beats of the first piece: P_A_LAST if it is the only one
.equ P_W_BLK,  0x58     # bytes of a block of a row tile: codes
.equ P_W_SCL,  0x5c     #    scales
.equ P_SCALED, 0x60     # 0: Y as it is; 1: times P_SCALE, FP32
.equ P_SCALE,  0x64

.sem w_full, s0         # row tiles of W in the scratchpad
.sem w_free, s1         # W buffers that may be overwritten
.sem a_full, s2         # pieces of X in the scratchpad
.sem a_free, s3         # the activations may be overwritten
.sem y_full, s4         # finished row tiles in the scratchpad
.sem y_free, s5         # Y buffers that may be overwritten
.sem go_compute, s6     # the first loads are under way
.sem go_store, s7
.sem y_scaled, s8

.thread 0, load
.thread 1, compute
.thread 2, store

# Moves a buffer pointer to the next of a ring: \ptr += \size, back to \first at \end.
.macro ring ptr, size, first, end
        add   \ptr, \ptr, \size
        bne   \ptr, \end, ring_\@
        mv    \ptr, \first
ring_\@:
.endm

# ------------------------------------------------------------------------------------------------------------------ load
load:
        # The first loads are under way before the rest of the parameters are read, and before the other threads begin.
        lw    r3, P_W_HBM(r0)
        lw    r4, P_W_LEN(r0)
        lw    r11, P_W_SPAD(r0)
        ld    spad=r11, hbm=r3, len=r4, npc=2 post w_full
        lw    r6, P_A_HBM(r0)
        lw    r7, P_A_FIRST(r0)
        lw    r20, P_A_SPAD(r0)
        ld    spad=r20, hbm=r6, len=r7, npc=2 post a_full
        lw    r14, P_W_NBUF(r0)
        addi  r17, r14, -1
        spost w_free, r17               # all buffers but the first are free; ordered before what compute posts
        sync  post go_compute, go_store
        lw    r8, P_A_STEP(r0)
        lw    r9, P_NA(r0)
        lw    r15, P_PKB(r0)
        lw    r16, P_A_BLK(r0)
        mul   r15, r15, r16             # bytes of a piece
        lw    r13, P_A_LAST(r0)
        lw    r18, P_A_LEN(r0)
        lw    r1, P_NT(r0)
        lw    r2, P_MT(r0)
        lw    r5, P_W_STEP(r0)
        lw    r12, P_W_SIZE(r0)
        mul   r16, r12, r14
        add   r16, r16, r11             # end of the W ring
        mv    r21, r11                  # next W buffer
        addi  r9, r9, -1                # pieces after the first
        addi  r2, r2, -1
        jmp   load_rest
load_tile:
        lw    r3, P_W_HBM(r0)
        lw    r20, P_A_SPAD(r0)
        ld    spad=r21, hbm=r3, len=r4, npc=2 wait w_free post w_full
        ld    spad=r20, hbm=r6, len=r7, npc=2 wait a_free post a_full
load_rest:
        ring  r21, r12, r11, r16
        add   r3, r3, r5
        add   r6, r6, r8
        beq   r9, r0, load_weights
        addi  r22, r9, -1
        loop  r22, load_last
        add   r20, r20, r15
        ld    spad=r20, hbm=r6, len=r18, npc=2 post a_full
        add   r6, r6, r8
load_last:
        add   r20, r20, r15
        ld    spad=r20, hbm=r6, len=r13, npc=2 post a_full
        add   r6, r6, r8
load_weights:
        loop  r2, load_next
        ld    spad=r21, hbm=r3, len=r4, npc=2 wait w_free post w_full
        ring  r21, r12, r11, r16
        add   r3, r3, r5
load_next:
        addi  r1, r1, -1
        bne   r1, r0, load_tile
        halt

# --------------------------------------------------------------------------------------------------------------- compute
compute:
        sync  wait go_compute
        lw    r1, P_NT(r0)
        lw    r2, P_MT(r0)
        lw    r3, P_KB(r0)
        lw    r4, P_N(r0)
        lw    r5, P_PKB(r0)
        lw    r6, P_NA(r0)
        lw    r7, P_A_SPAD(r0)
        lw    r8, P_A_BLK(r0)
        lw    r9, P_A_SCL(r0)
        lw    r11, P_W_SPAD(r0)
        lw    r12, P_W_SIZE(r0)
        lw    r14, P_W_NBUF(r0)
        lw    r17, P_Y_SPAD(r0)
        add   r9, r9, r7                # scales of the activations
        mul   r16, r12, r14
        add   r16, r16, r11             # end of the W ring
        lw    r20, P_W_BLK(r0)
        lw    r31, P_W_SCL(r0)
        mul   r10, r3, r20              # offset of the scales in a W buffer
        shli  r18, r4, 5                # bytes of a Y buffer
        shli  r19, r4, 6
        add   r19, r19, r17             # end of the Y ring
        li    r15, 32                   # a column of a Y buffer
        mul   r13, r5, r8               # bytes of a piece
        addi  r2, r2, -1
        addi  r6, r6, -1
        mv    r21, r11                  # this W buffer
        mv    r23, r17                  # this Y buffer
        loop  r1, compute_end
        # First row tile: a piece as soon as it is there.
        add   r22, r21, r10
        mv    r24, r21                  # weights, their scales, activations, their scales, blocks left
        mv    r25, r22
        mv    r26, r7
        mv    r27, r9
        mv    r28, r3
        mv    r29, r5
        bgeu  r3, r5, first_full
        mv    r29, r3                   # one piece, shorter than the others would be
first_full:
        mxusync wait w_full
        mm    w=r24, ws=r25, a=r26, as=r27, kb=r29, n=r4, astep=r8, asstep=r8, fa=FA, fw=FW, init wait a_full
        loop  r6, first_done
        sub   r28, r28, r5
        mul   r30, r5, r20
        add   r24, r24, r30
        mul   r30, r5, r31
        add   r25, r25, r30
        add   r26, r26, r13
        add   r27, r27, r13
        bgeu  r28, r5, next_full
        mv    r29, r28
next_full:
        mm    w=r24, ws=r25, a=r26, as=r27, kb=r29, n=r4, astep=r8, asstep=r8, fa=FA, fw=FW wait a_full
first_done:
        mst   dst=r23, pitch=r15, n=r4 wait y_free post y_full, w_free
        ring  r21, r12, r11, r16
        ring  r23, r18, r17, r19
        # The other row tiles.
        loop  r2, tile_done
        add   r22, r21, r10
        mm    w=r21, ws=r22, a=r7, as=r9, kb=r3, n=r4, astep=r8, asstep=r8, fa=FA, fw=FW, init wait w_full post w_free
        mst   dst=r23, pitch=r15, n=r4 wait y_free post y_full
        ring  r21, r12, r11, r16
        ring  r23, r18, r17, r19
tile_done:
        mxusync post a_free
compute_end:
        halt

# ----------------------------------------------------------------------------------------------------------------- store
store:
        sync  wait go_store
        lw    r1, P_NT(r0)
        lw    r2, P_MT(r0)
        lw    r4, P_N(r0)
        lw    r5, P_Y_HBM(r0)
        lw    r17, P_Y_SPAD(r0)
        shli  r18, r4, 5
        shli  r19, r4, 6
        add   r19, r19, r17
        li    r6, 2
        spost y_free, r6
        li    r7, 1                     # a column of a row tile is one beat
        addi  r8, r4, -1                # n runs
        li    r9, 32
        mul   r10, r4, r2
        sub   r10, r10, r2              # from the end of a tile's first column to the next tile
        mv    r23, r17
        lw    r20, P_SCALED(r0)
        lw    r22, P_SCALE(r0)
        shli  r24, r4, 3                # values of a Y buffer
        loop  r1, store_end
        loop  r2, store_tile
        bne   r20, r0, store_scaled
        st    spad=r23, hbm=r5, len=r7, cnt=r8, sstep1=r9, hstep1=r2, npc=1 wait y_full post y_free
        jmp   store_next
store_scaled:
        vmuls dst=r23, src=r23, n=r24, s=r22 wait y_full post y_scaled
        st    spad=r23, hbm=r5, len=r7, cnt=r8, sstep1=r9, hstep1=r2, npc=1 wait y_scaled post y_free
store_next:
        ring  r23, r18, r17, r19
        addi  r5, r5, 1
store_tile:
        add   r5, r5, r10
store_end:
        halt
