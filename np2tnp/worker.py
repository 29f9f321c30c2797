"""A process of ``executors``: run as a file, with the package's directory and the directories to import from.

Neither the current directory nor PYTHONPATH is on its path then, at no time. (``multiprocessing`` starts its processes
with the current directory on it, imports itself from there, and imports the main program again.)
"""

import sys

if __name__ == "__main__":
    package, sys.path[:] = sys.argv[1], sys.argv[2:]

    import importlib.util
    import os

    # by its place, not by a path: what lies beside the package may be a project that is analysed
    init = os.path.join(package, "__init__.py")
    spec = importlib.util.spec_from_file_location("np2tnp", init, submodule_search_locations=[package])
    assert spec is not None
    assert spec.loader is not None
    sys.modules["np2tnp"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["np2tnp"])

    from np2tnp.executors import serve

    serve()
