#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generate the HBM pseudo-channel request traces.  One request per line:  R|W 0xADDR
ADDR is a byte address inside ONE pseudo channel (0 .. 512 MiB-1), 32-byte aligned.
Deterministic; SEED (default 0) gives other traces of the same kind.  usage: gen_traces.py OUTDIR [N [SEED]]"""
import random, sys, os
out = sys.argv[1]; N = int(sys.argv[2]) if len(sys.argv) > 2 else 100000
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 0
rng = lambda s: random.Random(s + 7919 * SEED)
G = 32; SPAN = 512 << 20; M = 1 << 20
def wr(name, it):
    with open(os.path.join(out, name + ".trace"), "w") as f:
        for op, a in it: f.write(f"{op} 0x{a % SPAN:x}\n")
def seq(base=0):
    a = base
    while True:
        yield a; a += G
# (a) saturating sequential read
wr("a_seq_read", (("R", i * G) for i in range(N)))
# (b) sequential reads with an interleaved sequential write stream
def mix(wpct):
    r, w, acc = seq(0), seq(256 * M + 16 * 1024), 0
    for i in range(N):
        acc += wpct
        if acc >= 100: acc -= 100; yield "W", next(w)
        else: yield "R", next(r)
wr("b_seq_w10", mix(10)); wr("b_seq_w50", mix(50))
# (b') the same 50 % in 4 KiB bursts (what a DMA engine really emits)
def mixb(blk):
    r, w = seq(0), seq(256 * M + 16 * 1024)
    n = 0
    while n < N:
        for _ in range(min(blk, N - n)): yield "R", next(r); n += 1
        for _ in range(min(blk, N - n)): yield "W", next(w); n += 1
wr("b_seq_w50_4k", mixb(4096 // G))
# (c) k interleaved sequential read streams, 32 B round robin.
#   staggered: stream k starts k*4 KiB into its own 32 MiB region (different banks)
#   conflict : all streams start at the same bank/column, different rows
for k in (2, 4, 8):
    def c(stag):
        s = [seq(j * 32 * M + j * stag) for j in range(k)]
        for i in range(N): yield "R", next(s[i % k])
    wr(f"c_streams{k}", c(4096)); wr(f"c_streams{k}_conflict", c(0))
# (d) uniform random
def rnd(chunk, seed, n=N):
    rg = rng(seed); m = 0
    while m < n:
        b = rg.randrange(SPAN // chunk) * chunk
        for o in range(0, chunk, G):
            yield "R", b + o; m += 1
wr("d_rand32", rnd(32, 101)); wr("d_rand64", rnd(64, 102))
# (e) random chunks (KV-page gather)
wr("e_rand128", rnd(128, 108)); wr("e_rand256", rnd(256, 109)); wr("e_rand512", rnd(512, 103)); wr("e_rand2k", rnd(2048, 104)); wr("e_rand4k", rnd(4096, 105))
# (f) strided
for st, nm in ((64, "64"), (256, "256"), (1024, "1k"), (2048, "2k"), (32768, "32k")):
    def f(st=st):
        # walk the span with the stride, then shift by 32 B and walk again
        a = 0; off = 0
        for i in range(N):
            yield "R", a + off
            a += st
            if a >= SPAN: a = 0; off = (off + G) % st
    wr(f"f_stride{nm}", f())
# (g) LLM decode mix: two weight streams in 4 KiB DMA chunks, 8 % random 512 B KV reads, 2 % 64 B KV writes
def llm():
    rg = rng(107); n = 0
    w = [seq(0), seq(128 * M + 8192)]; kvw = seq(500 * M); t = 0
    while n < N:
        for _ in range(128): yield "R", next(w[t]); n += 1
        t ^= 1
        if rg.random() < 0.70:
            b = 256 * M + rg.randrange(200 * M // 512) * 512
            for o in range(0, 512, G): yield "R", b + o; n += 1
        if rg.random() < 0.7:
            for _ in range(4): yield "W", next(kvw); n += 1
def take(it, n):
    for i, x in enumerate(it):
        if i >= n: return
        yield x
wr("g_llm_decode", take(llm(), N))
