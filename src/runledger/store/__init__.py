"""Where records are kept: lines that are never torn, run directories, cassettes."""
