"""The parts of ``benchmarks/oracle.py``: programs are run with every place of their text under observation."""
