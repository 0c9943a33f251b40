"""The lengths by which compiled functions index their arrays.

A file here has, for each function of some files of the folder `compiled`, a function of the same name.  Its
parameters are those of the compiled function with `count`, the end of the range, instead of `begin` and
`end`.  An argument is None if it is an array that is bound later, or no array at all.  The result has the
least number of elements of each array parameter, in their order: 0 for an array that is not read, and for
scratch memory per thread that of one thread.

`native.function` refuses shorter arrays before the compiled function, which checks nothing, sees them.
"""
