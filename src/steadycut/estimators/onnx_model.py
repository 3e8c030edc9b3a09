"""A scorer of rows, its aggregator and its cut-off as one ONNX model."""

from typing import Any

import numpy as np

from steadycut.core.aggregate.aggregators import How
from steadycut.core.checks import shown
from steadycut.errors import BadOption
from steadycut.io.packages import optional_package

REDUCERS = {"mean": "ReduceMean", "max": "ReduceMax", "min": "ReduceMin"}


def onnx_model(estimator: Any, threshold: float, how: How | None) -> Any:
    """Return a model with the outputs ``score`` and ``decision``.

    ``estimator`` knows two classes; its last column of probabilities is that of the positive one.
    ``how`` aggregates the rows of one patient; None decides about each row.
    """
    with optional_package("to_onnx", "skl2onnx", "onnx"):
        from onnx import TensorProto, checker, helper, numpy_helper

    if how is not None and (not isinstance(how, str) or how not in REDUCERS):
        raise BadOption(f"to_onnx knows the aggregators {', '.join(REDUCERS)}; got {shown(how)}.")
    model = _converted(estimator)
    graph = model.graph
    scores = graph.output[1]
    kind = scores.type.tensor_type.elem_type
    last = helper.make_tensor("last_column", TensorProto.INT64, [], [-1])
    cut = np.array(threshold, dtype=helper.tensor_dtype_to_np_dtype(kind))
    graph.initializer.extend([last, numpy_helper.from_array(cut, "threshold")])
    row_score = "score" if how is None else "row_score"
    graph.node.append(helper.make_node("Gather", [scores.name, "last_column"], [row_score], axis=1))
    if how is not None:
        graph.node.append(helper.make_node(REDUCERS[str(how)], [row_score], ["score"], keepdims=0))
    graph.node.append(helper.make_node("GreaterOrEqual", ["score", "threshold"], ["reached"]))
    graph.node.append(helper.make_node("Cast", ["reached"], ["decision"], to=TensorProto.INT64))
    del graph.output[:]
    shape = [None] if how is None else []
    graph.output.append(helper.make_tensor_value_info("score", kind, shape))
    graph.output.append(helper.make_tensor_value_info("decision", TensorProto.INT64, shape))
    checker.check_model(model)
    return model


def _converted(estimator: Any) -> Any:
    """Return what skl2onnx makes of the scorer: in double precision, or else in single."""
    with optional_package("to_onnx", "skl2onnx", "onnx"):
        from skl2onnx import to_onnx
        from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    last = estimator
    while hasattr(last, "steps"):
        last = last[-1]
    options = {id(last): {"zipmap": False}} if hasattr(last, "predict_proba") else None
    for tensor in (DoubleTensorType, FloatTensorType):
        rows = [("X", tensor([None, estimator.n_features_in_]))]
        try:
            return to_onnx(estimator, initial_types=rows, options=options)
        # skl2onnx has no error of its own: it raises what a converter happens to raise.
        except Exception as error:  # noqa: BLE001
            cause = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
    msg = f"skl2onnx cannot convert {type(last).__name__} ({cause[:200]}). Send export() instead."
    raise BadOption(msg)
