# SPDX-License-Identifier: Apache-2.0
# Copies memory to memory through two scratchpad buffers: the smallest example of two engines that overlap.
.equ P_CHUNKS, 0x00     # chunks
.equ P_LEN,    0x04     # beats of a chunk
.equ P_STEP,   0x08     # beats, in a channel, from one chunk to the next
.equ P_SRC,    0x0c
.equ P_DST,    0x10
.equ P_BUF,    0x14     # two buffers of len*32 bytes

.sem full, s0
.sem free, s1
.thread 0, load
.thread 1, store

load:
        lw    r1, P_CHUNKS(r0)
        lw    r2, P_LEN(r0)
        lw    r3, P_STEP(r0)
        lw    r4, P_SRC(r0)
        lw    r5, P_BUF(r0)
        shli  r6, r2, 5
        xor   r7, r5, r5                # offset of the buffer in use: 0 or len*32
        li    r8, 2
        spost free, r8
        loop  r1, load_end
        add   r9, r5, r7
        ld    spad=r9, hbm=r4, len=r2, npc=2 wait free post full
        sub   r7, r6, r7
        add   r4, r4, r3
load_end:
        halt

store:
        lw    r1, P_CHUNKS(r0)
        lw    r2, P_LEN(r0)
        lw    r3, P_STEP(r0)
        lw    r4, P_DST(r0)
        lw    r5, P_BUF(r0)
        shli  r6, r2, 5
        li    r7, 0
        loop  r1, store_end
        add   r9, r5, r7
        st    spad=r9, hbm=r4, len=r2, npc=2 wait full post free
        sub   r7, r6, r7
        add   r4, r4, r3
store_end:
        halt
