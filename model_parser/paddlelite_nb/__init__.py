"""Naive buffers (``.nb``): models that Paddle-Lite's ``opt`` has optimised for a processor, layouts 0 to 2.

The program consists of Paddle's ops with fused activations, and records which kernel runs each op.  It is
translated to the ops that it stands for; passes choose and fuse kernels again for the places of the Config.
"""
