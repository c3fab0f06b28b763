"""Supervised child processes: started here, read under caps and deadlines, and surely ended.

supervisor   starts programs, knows which are alive, sweeps up what they leave behind
child        one running program: its pipes in one poll loop, and its end
pipes        what is kept of each pipe: lines under caps, a bounded tail, what waits to be written
stop         the switch that wakes every waiting thread when the run is to end
guard        a small process above the runner, so that agents die even when the runner is killed
program      run a program to its end: input in, output out
linux        the few system calls that Python has no name for
"""
