"""Lanes: instructions that do not depend on each other run at the same time, each place in its own thread.

The instructions of a segment are divided into lanes: the host, and each device with a processor of its own.
A lane runs its instructions in the order of the plan.  An instruction waits for those in other lanes that it
depends on; all of these are earlier in the plan, so lanes never wait for each other in a circle.

`order` finds what waits for what, and what may run at the same time, as a pure function of integers.
`lite.runtime.binding.lanes` applies it to a segment: buffers live until the last instruction that may run
beside one that uses them.  `run` runs the lanes.
"""
