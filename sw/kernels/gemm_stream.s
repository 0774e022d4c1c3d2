# SPDX-License-Identifier: Apache-2.0
# Matrix product for any K: W and X both stream, in pieces of P_PKB blocks through rings of buffers, and the accumulators carry
# the sum from one piece to the next. Where all of X fits (P_A_ONCE), it is read for the first row tile alone; otherwise again
# for each, so gemm.s is faster where both X and a whole row tile of W fit. Layouts as there, W in pieces: a row tile's piece
# is its blocks, then its scales.

.equ P_NT,     0x00     # column tiles
.equ P_MT,     0x04     # row tiles
.equ P_N,      0x0c     # columns of a tile
.equ P_W_HBM,  0x10     # first piece of W
.equ P_W_LEN,  0x14     # beats of a piece
.equ P_W_STEP, 0x18     # beats, in a channel, from one piece to the next
.equ P_A_HBM,  0x1c     # first piece of X
.equ P_A_LEN,  0x20     # beats of a piece
.equ P_A_LAST, 0x24     # beats of the last
.equ P_A_STEP, 0x28     # beats, in a channel, from one piece to the next
.equ P_NA,     0x2c     # pieces
.equ P_PKB,    0x30     # blocks of a piece
.equ P_Y_HBM,  0x34
.equ P_A_SPAD, 0x38     # ring of X buffers: two, or one for each piece
.equ P_A_BLK,  0x3c     # bytes of a block of X
.equ P_A_SCL,  0x40
.equ P_W_SPAD, 0x44     # ring of W buffers
.equ P_W_SIZE, 0x48     # bytes of one
.equ P_W_NBUF, 0x4c     # how many
.equ P_Y_SPAD, 0x50     # two Y buffers of n * 32 bytes
.equ P_A_SIZE, 0x54     # bytes of an X buffer
.equ P_W_LAST, 0x58     # beats of a row tile's last piece of W
.equ P_KLAST,  0x5c     # blocks of the last piece
.equ P_W_BLK,  0x60     # bytes of the codes of a block of a row tile
.equ P_SCALED, 0x64
.equ P_SCALE,  0x68
.equ P_A_NBUF, 0x6c     # X buffers
.equ P_A_ONCE, 0x70     # 1: X is read once (one column tile)

.sem full, s0           # pieces in the scratchpad
.sem free, s1           # W buffers that may be overwritten
.sem a_free, s2         # X buffers
.sem y_full, s4
.sem y_free, s5
.sem y_scaled, s6
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
        lw    r17, P_W_NBUF(r0)
        spost free, r17
        mul   r17, r17, r12
        add   r17, r17, r11             # end of the W ring
        lw    r14, P_A_NBUF(r0)
        spost a_free, r14
        mul   r14, r14, r16
        add   r14, r14, r10             # end of the X ring
        lw    r26, P_A_ONCE(r0)
        mv    r22, r11                  # next buffers
        mv    r23, r10
        addi  r18, r9, -1
        loop  r1, load_end
        lw    r3, P_W_HBM(r0)
        li    r25, 0                    # X is there
        loop  r2, load_columns
        mv    r20, r6
        loop  r18, load_last
        bne   r25, r0, load_weights
        ld    spad=r23, hbm=r20, len=r7, npc=2 wait a_free
        ring  r23, r16, r10, r14
        add   r20, r20, r8
load_weights:
        ld    spad=r22, hbm=r3, len=r4, npc=2 wait free post full
        ring  r22, r12, r11, r17
        add   r3, r3, r5
load_last:
        bne   r25, r0, load_last_weights
        ld    spad=r23, hbm=r20, len=r13, npc=2 wait a_free
        ring  r23, r16, r10, r14
load_last_weights:
        ld    spad=r22, hbm=r3, len=r15, npc=2 wait free post full
        ring  r22, r12, r11, r17
        add   r3, r3, r5
        mv    r25, r26
load_columns:
        mul   r21, r9, r8
        add   r6, r6, r21               # next column tile
load_end:
        halt

compute:
        lw    r1, P_NT(r0)
        lw    r2, P_MT(r0)
        lw    r3, P_KLAST(r0)
        lw    r4, P_N(r0)
        lw    r5, P_PKB(r0)
        lw    r6, P_NA(r0)
        lw    r7, P_A_SPAD(r0)
        lw    r8, P_A_BLK(r0)
        lw    r9, P_A_SCL(r0)
        lw    r11, P_W_SPAD(r0)
        lw    r12, P_W_SIZE(r0)
        lw    r16, P_A_SIZE(r0)
        lw    r17, P_Y_SPAD(r0)
        shli  r18, r4, 5
        li    r19, 0                    # offset of the Y buffer in use
        li    r15, 32
        mul   r1, r1, r2
        lw    r10, P_W_BLK(r0)
        mul   r26, r5, r10              # offset of the scales in a W buffer
        mul   r30, r3, r10              # in a row tile's last
        lw    r13, P_W_NBUF(r0)
        mul   r13, r13, r12
        add   r13, r13, r11             # ends of the rings
        lw    r14, P_A_NBUF(r0)
        mul   r14, r14, r16
        add   r14, r14, r7
        mv    r24, r11                  # buffers in use
        mv    r27, r7
        addi  r20, r6, -2               # pieces between the first and the last
        loop  r1, compute_end
        add   r25, r24, r26
        add   r28, r27, r9
        mm    w=r24, ws=r25, a=r27, as=r28, kb=r5, n=r4, astep=r8, asstep=r8, fa=FA, fw=FW, init wait full post free, a_free
        ring  r24, r12, r11, r13
        ring  r27, r16, r7, r14
        loop  r20, compute_last
        add   r25, r24, r26
        add   r28, r27, r9
        mm    w=r24, ws=r25, a=r27, as=r28, kb=r5, n=r4, astep=r8, asstep=r8, fa=FA, fw=FW wait full post free, a_free
        ring  r24, r12, r11, r13
        ring  r27, r16, r7, r14
compute_last:
        add   r25, r24, r30
        add   r28, r27, r9
        mm    w=r24, ws=r25, a=r27, as=r28, kb=r3, n=r4, astep=r8, asstep=r8, fa=FA, fw=FW wait full post free, a_free
        ring  r24, r12, r11, r13
        ring  r27, r16, r7, r14
        add   r29, r17, r19
        mst   dst=r29, pitch=r15, n=r4 wait y_free post y_full
        sub   r19, r18, r19
compute_end:
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
        lw    r21, P_SCALED(r0)
        lw    r22, P_SCALE(r0)
        shli  r24, r4, 3                # values of a Y buffer
        loop  r1, store_end
        loop  r2, store_tile
        add   r20, r17, r19
        bne   r21, r0, store_scaled
        st    spad=r20, hbm=r5, len=r7, cnt=r8, sstep1=r9, hstep1=r2, npc=1 wait y_full post y_free
        jmp   store_next
store_scaled:
        vmuls dst=r20, src=r20, n=r24, s=r22 wait y_full post y_scaled
        st    spad=r20, hbm=r5, len=r7, cnt=r8, sstep1=r9, hstep1=r2, npc=1 wait y_scaled post y_free
store_next:
        sub   r19, r18, r19
        addi  r5, r5, 1
store_tile:
        add   r5, r5, r10
store_end:
        halt
