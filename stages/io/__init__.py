"""Files, runtimes, provenance and progress: how stages read, run and write."""
