"""Compile configuration, passes with a pass log, memory plan, lowering to kernels."""
