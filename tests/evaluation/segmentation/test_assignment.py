"""The assignment against SciPy's, of several best ones too."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linear_sum_assignment

from evaluation.segmentation.boundary_measures import find_assignment_with_largest_sum

SIDE = st.integers(1, 9)


@given(arrays(np.intp, st.tuples(SIDE, SIDE), elements=st.integers(0, 4)))
def test_it_is_scipys(values):
    rows, columns = linear_sum_assignment(values, maximize=True)
    assert find_assignment_with_largest_sum(values) == dict(zip(rows.tolist(), columns.tolist(), strict=True))
