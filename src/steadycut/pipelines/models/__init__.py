"""Models that users bring: loaded, put on a device, and asked for scores.

===================  ==========================================================
``interface``        what a loaded model can do, and the options of all models
``scorer``           a model of any kind: batches in, one score per row out
``onnx_backend``     ONNX files, run by ONNX Runtime
``plain_program``    which texts of an exported program could be code
``torch_backend``    exported programs, TorchScript and timm, run by PyTorch
===================  ==========================================================

A new kind of model needs one file here, and its line in ``scorer``.
"""
