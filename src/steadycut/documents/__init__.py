"""The files that steadycut writes and reads back: frozen rules, their parts and signatures."""
