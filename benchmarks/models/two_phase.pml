/* TwoPhase(N): two-phase commit with a set of messages, as in two_phase.py.
 *
 *   spin -DN=3 -a two_phase.pml             the protocol
 *   spin -DN=3 -DUNSAFE -a two_phase.pml    a prepared manager may still abort by itself (TwoPhaseUnsafe)
 *
 * One process with one location, every action one d_step: a stored state is exactly one state of the model.
 * The two sets are bits: bit i of `heard` and `messages` is manager i. A step that changes nothing is a step.
 */
#ifndef N
#define N 3
#endif

#define WORKING   0
#define PREPARED  1
#define COMMITTED 2
#define ABORTED   3

#define ALL    ((1 << N) - 1)
#define COMMIT (1 << N)
#define ABORT  (1 << (N + 1))

byte manager[N];
bool done;
unsigned heard : 8;
unsigned messages : 10;

#ifdef UNSAFE
#define RENEGE(i) :: d_step { manager[i] == PREPARED -> manager[i] = ABORTED }
#else
#define RENEGE(i)
#endif

/* hear, prepare, choose_abort, learn_commit, learn_abort */
#define MANAGER(i) \
  :: d_step { !done && (messages & (1 << i)) -> heard = heard | (1 << i) } \
  :: d_step { manager[i] == WORKING -> manager[i] = PREPARED; messages = messages | (1 << i) } \
  :: d_step { manager[i] == WORKING -> manager[i] = ABORTED } \
  :: d_step { (messages & COMMIT) -> manager[i] = COMMITTED } \
  :: d_step { (messages & ABORT) -> manager[i] = ABORTED } \
  RENEGE(i)

active proctype everyone()
{
end:
  do
  :: d_step { !done && heard == ALL -> done = true; messages = messages | COMMIT }
  :: d_step { !done -> done = true; messages = messages | ABORT }
  MANAGER(0)
#if N > 1
  MANAGER(1)
#endif
#if N > 2
  MANAGER(2)
#endif
#if N > 3
  MANAGER(3)
#endif
#if N > 4
  MANAGER(4)
#endif
#if N > 5
  MANAGER(5)
#endif
#if N > 6
  MANAGER(6)
#endif
#if N > 7
  MANAGER(7)
#endif
#if N > 8
#error "N is at most 8"
#endif
  od
}
