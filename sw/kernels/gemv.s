# SPDX-License-Identifier: Apache-2.0
# Matrix times one to four vectors: the memory ports set the pace, so W streams through a ring of buffers, two row tiles a load
# (an even number of 256-byte units keeps both pseudo-channels equally busy), and all results wait in the scratchpad.
# Layouts and parameters as in gemm.s, except those marked.

.equ P_MT2,    0x04     # pairs of row tiles
.equ P_KB,     0x08
.equ P_N,      0x0c
.equ P_W_HBM,  0x10     # first pair of row tiles
.equ P_W_LEN,  0x14     # beats of a pair
.equ P_W_STEP, 0x18     # beats, in a channel, from one pair to the next
.equ P_A_HBM,  0x1c     # all of X
.equ P_A_LEN,  0x20     # its beats
.equ P_Y_HBM,  0x34
.equ P_A_SPAD, 0x38
.equ P_A_BLK,  0x3c
.equ P_A_SCL,  0x40
.equ P_W_SPAD, 0x44
.equ P_W_SIZE, 0x48     # bytes of a buffer: a pair
.equ P_W_NBUF, 0x4c
.equ P_Y_SPAD, 0x50     # n vectors of results
.equ P_Y_SIZE, 0x54     # bytes from one to the next
.equ P_TILE,   0x58     # bytes of one row tile in a buffer
.equ P_W_BLK,  0x5c     # bytes of the codes of a block of a row tile
.equ P_SCALED, 0x60
.equ P_SCALE,  0x64

.sem w_full, s0
.sem w_free, s1
.sem a_full, s2
.sem y_full, s3

.thread 0, load
.thread 1, compute

.macro ring ptr, size, first, end
        add   \ptr, \ptr, \size
        bne   \ptr, \end, ring_\@
        mv    \ptr, \first
ring_\@:
.endm

load:
        lw    r6, P_A_HBM(r0)
        lw    r7, P_A_LEN(r0)
        lw    r8, P_A_SPAD(r0)
        ld    spad=r8, hbm=r6, len=r7, npc=2 post a_full
        lw    r2, P_MT2(r0)
        lw    r3, P_W_HBM(r0)
        lw    r4, P_W_LEN(r0)
        lw    r5, P_W_STEP(r0)
        lw    r11, P_W_SPAD(r0)
        lw    r12, P_W_SIZE(r0)
        lw    r14, P_W_NBUF(r0)
        mul   r16, r12, r14
        add   r16, r16, r11
        spost w_free, r14
        mv    r21, r11
        loop  r2, load_end
        ld    spad=r21, hbm=r3, len=r4, npc=2 wait w_free post w_full
        ring  r21, r12, r11, r16
        add   r3, r3, r5
load_end:
        # The last thing to come: all results are in the scratchpad.
        lw    r9, P_Y_SPAD(r0)
        lw    r10, P_Y_HBM(r0)
        lw    r17, P_N(r0)
        addi  r17, r17, -1
        lw    r18, P_Y_SIZE(r0)
        shli  r19, r2, 1                # beats of a result vector: one a row tile
        lw    r20, P_SCALED(r0)
        beq   r20, r0, store
        lw    r22, P_SCALE(r0)
        addi  r23, r17, 1
        mv    r24, r9
        shli  r25, r19, 3
        sync  wait y_full
        loop  r23, scaled
        vmuls dst=r24, src=r24, n=r25, s=r22
        add   r24, r24, r18
scaled:
        vsync post y_full
store:
        st    spad=r9, hbm=r10, len=r19, cnt=r17, sstep1=r18, hstep1=r19, npc=1 wait y_full
        halt

compute:
        lw    r2, P_MT2(r0)
        lw    r3, P_KB(r0)
        lw    r4, P_N(r0)
        lw    r7, P_A_SPAD(r0)
        lw    r8, P_A_BLK(r0)
        lw    r9, P_A_SCL(r0)
        lw    r11, P_W_SPAD(r0)
        lw    r12, P_W_SIZE(r0)
        lw    r14, P_W_NBUF(r0)
        lw    r17, P_Y_SPAD(r0)
        lw    r18, P_Y_SIZE(r0)
        lw    r19, P_TILE(r0)
        add   r9, r9, r7
        mul   r16, r12, r14
        add   r16, r16, r11
        lw    r20, P_W_BLK(r0)
        mul   r10, r3, r20
        mv    r21, r11
        mxusync wait a_full
        loop  r2, compute_end
        add   r22, r21, r10             # scales of the first tile
        add   r24, r21, r19             # second tile
        add   r25, r24, r10
        mm    w=r21, ws=r22, a=r7, as=r9, kb=r3, n=r4, astep=r8, asstep=r8, fa=FA, fw=FW, init wait w_full
        mst   dst=r17, pitch=r18, n=r4
        addi  r17, r17, 32
        mm    w=r24, ws=r25, a=r7, as=r9, kb=r3, n=r4, astep=r8, asstep=r8, fa=FA, fw=FW, init, cg=1 post w_free
        mst   dst=r17, pitch=r18, n=r4, cg=1
        addi  r17, r17, 32
        ring  r21, r12, r11, r16
compute_end:
        mxusync post y_full
        halt
