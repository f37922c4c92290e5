/* Fence(T): T independent calls behind a per-call epoch fence, as in fence.py.
 *
 *   spin -DT=3 -a fence.pml                the fenced planner
 *   spin -DT=1 -DLASTWRITER -a fence.pml   every result is written, stale or not (FenceLastWriter)
 *
 * One process with one location, every action one d_step: a stored state is exactly one state of the model.
 * A process for each call would read better; SPIN is faster with a single one, since its states are smaller.
 */
#ifndef T
#define T 1
#endif

typedef Call {
  unsigned live : 2 = 1;   /* 1..3                                        */
  unsigned com  : 2;       /* 0 = nothing committed, else the epoch       */
  unsigned s1   : 2 = 1;   /* slot: 0 unsent, 1 request, 2 result, 3 gone */
  unsigned s2   : 2;
  unsigned s3   : 2
#ifdef LASTWRITER
  ; bool over              /* a commit was replaced by one of another epoch */
#endif
}
Call c[T];

#ifdef LASTWRITER
/* apply(e), apply_keep(e) */
#define WRITE(i, e) c[i].over = c[i].over || (c[i].com != 0 && c[i].com != e); c[i].com = e
#define DELIVER(i, e, s) \
  :: d_step { c[i].s == 2 -> WRITE(i, e); c[i].s = 3 } \
  :: d_step { c[i].s == 2 -> WRITE(i, e) }
#else
/* commit(e), commit_keep(e), reject(e) */
#define DELIVER(i, e, s) \
  :: d_step { c[i].s == 2 && c[i].live == e && c[i].com == 0 -> c[i].com = e; c[i].s = 3 } \
  :: d_step { c[i].s == 2 && c[i].live == e && c[i].com == 0 -> c[i].com = e } \
  :: d_step { c[i].s == 2 && (c[i].live != e || c[i].com != 0) -> c[i].s = 3 }
#endif

/* bump, send(e), execute(e), and what happens to a result */
#define CALL(i) \
  :: d_step { c[i].com == 0 && c[i].live == 1 && c[i].s1 != 0 -> c[i].live = 2 } \
  :: d_step { c[i].com == 0 && c[i].live == 2 && c[i].s2 != 0 -> c[i].live = 3 } \
  :: d_step { c[i].live == 2 && c[i].s2 == 0 -> c[i].s2 = 1 } \
  :: d_step { c[i].live == 3 && c[i].s3 == 0 -> c[i].s3 = 1 } \
  :: d_step { c[i].s1 == 1 -> c[i].s1 = 2 } \
  :: d_step { c[i].s2 == 1 -> c[i].s2 = 2 } \
  :: d_step { c[i].s3 == 1 -> c[i].s3 = 2 } \
  DELIVER(i, 1, s1) \
  DELIVER(i, 2, s2) \
  DELIVER(i, 3, s3)

active proctype calls()
{
end:
  do
  CALL(0)
#if T > 1
  CALL(1)
#endif
#if T > 2
  CALL(2)
#endif
#if T > 3
  CALL(3)
#endif
#if T > 4
#error "T is at most 4"
#endif
  od
}
