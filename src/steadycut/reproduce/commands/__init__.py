"""The commands of steadycut reproduce."""
