"""The reference planner as a running service: a tool, a compensator and a planner that talk HTTP on loopback.

Threads, not asyncio: what decides is a guarded UPDATE that blocks, through drivers that are synchronous, and a handful
of workers wait for a clock, for sockets and for the database. A coroutine would have to hand every one of these
statements to a thread anyway, and an await within a decision would be one more place where another event can come in
between. How many threads there are is known: one for each server with one more for each request it is answering, and
one worker each for the outbox, the deadlines and each server's results.
"""
