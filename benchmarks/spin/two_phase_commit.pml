/* Two-phase commit as examples/TwoPhaseCommit.yaml has it, explored by Spin: one more side of
   benchmarks/exploring_others.py, which writes a line MANAGER(i) for each of N managers. */

#define COLLECTING 0
#define COMMIT 1
#define ABORT 2

#define WORKING 0
#define PREPARED 1
#define COMMITTED 2
#define ABORTED 3

byte coordinator;
byte stage[N];
bit sent[N];
bit told[N];
byte arrived, committed, aborted;

#define MANAGER(i) \
  :: d_step { stage[i] == WORKING -> stage[i] = PREPARED; sent[i] = 1 } \
  :: d_step { stage[i] == WORKING -> stage[i] = ABORTED; aborted++ } \
  :: d_step { coordinator == COLLECTING && sent[i] -> \
       if :: told[i] :: else -> told[i] = 1; arrived++ fi } \
  :: d_step { coordinator == COMMIT -> \
       if :: stage[i] == COMMITTED :: else -> stage[i] = COMMITTED; committed++ fi } \
  :: d_step { coordinator == ABORT -> \
       if :: stage[i] == ABORTED :: else -> stage[i] = ABORTED; aborted++ fi }

active proctype commit() {
end:
  do
  MANAGERS
  :: d_step { coordinator == COLLECTING && arrived == N -> coordinator = COMMIT }
  :: d_step { coordinator == COLLECTING -> coordinator = ABORT }
  :: d_step { committed > 0 && aborted > 0 -> assert(false) }
  od
}
