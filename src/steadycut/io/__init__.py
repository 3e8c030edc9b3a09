"""Files, checkpoints and progress: what every part of steadycut writes with."""
