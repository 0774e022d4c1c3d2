# SPDX-License-Identifier: Apache-2.0
# Turns activations (token-major, k values a token) into the panel that gemm.s reads: for each block of K, n columns of codes,
# then 32 bytes that begin with the n scales. Load, quantise and store overlap: two buffers of source tokens; the panel is
# stored when it is whole. FMT is the format, RULE that of the scales (vqnt), BF16 1 if the values are BF16, 0 if FP32.
.equ P_N,      0x00     # tokens, 1..32
.equ P_KB,     0x04     # blocks of 32 along K
.equ P_SRC,    0x08     # values in HBM
.equ P_LEN,    0x0c     # beats of a token: 4 a block, 2 of BF16
.equ P_STEP,   0x10     # beats, in a channel, from one token to the next
.equ P_DST,    0x14     # panel in HBM
.equ P_DLEN,   0x18     # beats of the panel
.equ P_BUF,    0x1c     # two buffers of a token
.equ P_PANEL,  0x20     # panel in the scratchpad
.equ P_BLK,    0x24     # bytes of a block of the panel
.equ P_SCL,    0x28     # offset of the scales in a block
.equ P_COL,    0x2c     # bytes of a column's codes: 16 or 32
.equ P_WORDS,  0x30     # 32-bit words of the panel

.sem full, s0
.sem free, s1
.sem done, s2
.thread 0, load
.thread 1, quantise

load:
        lw    r1, P_N(r0)
        lw    r2, P_LEN(r0)
        lw    r3, P_STEP(r0)
        lw    r4, P_SRC(r0)
        lw    r5, P_BUF(r0)
        shli  r6, r2, 5
        li    r7, 0
        li    r8, 2
        spost free, r8
        loop  r1, load_end
        add   r9, r5, r7
        ld    spad=r9, hbm=r4, len=r2, npc=2 wait free post full
        sub   r7, r6, r7
        add   r4, r4, r3
load_end:
        lw    r10, P_PANEL(r0)
        lw    r11, P_DST(r0)
        lw    r12, P_DLEN(r0)
        st    spad=r10, hbm=r11, len=r12, npc=2 wait done
        halt

quantise:
        lw    r1, P_N(r0)
        lw    r2, P_KB(r0)
        lw    r3, P_LEN(r0)
        lw    r5, P_BUF(r0)
        lw    r10, P_PANEL(r0)
        lw    r11, P_BLK(r0)
        lw    r12, P_SCL(r0)
        lw    r13, P_COL(r0)
        lw    r14, P_WORDS(r0)
        shli  r6, r3, 5
        li    r7, 0
        li    r15, 128 >> BF16          # bytes of a block of values
        vfill dst=r10, n=r14, s=r0      # padding is part of the panel
        add   r12, r12, r10             # this token's scales, its codes
        mv    r16, r10
        loop  r1, quantise_end
        add   r9, r5, r7
.rept 1 - BF16
        vqnt  dst=r16, src=r9, nblk=r2, scl=r12, dstep=r11, sstep=r15, cstep=r11, fmt=FMT, rule=RULE wait full post free
.endr
.rept BF16
        vqnt  dst=r16, src=r9, nblk=r2, scl=r12, dstep=r11, sstep=r15, cstep=r11, fmt=FMT, rule=RULE, bf16 wait full post free
.endr
        sub   r7, r6, r7
        add   r16, r16, r13
        addi  r12, r12, 1
quantise_end:
        vsync post done
        halt
