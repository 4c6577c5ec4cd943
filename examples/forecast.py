"""Forecast a time series: lags are features, horizons are outputs.

The series is one channel of an EEG, 800 samples, that comes with matplotlib. One neuron predicts the next
four samples from the last eight.

python examples/forecast.py
"""

import numpy as np
import pandas as pd
from matplotlib import cbook
from sklearn.linear_model import RidgeCV
from sklearn.metrics import r2_score

from modn import MODNRegressor
from modn.explain import effects

LAGS, HORIZONS, TEST = 8, 4, 200

with cbook.get_sample_data("eeg.dat") as file:
    series = pd.Series(np.frombuffer(file.read(), dtype=float).reshape(-1, 4)[:, 0])

X = pd.DataFrame({f"now-{lag}" if lag else "now": series.shift(lag) for lag in range(LAGS)})
y = pd.DataFrame({f"now+{step}": series.shift(-step) for step in range(1, HORIZONS + 1)})
known = X.notna().all(axis=1) & y.notna().all(axis=1)
X, y = X[known], y[known]
# In the order of time, with a gap, so that no number is part of both. Within the training part neighbouring
# rows overlap, and a cross-validation takes them for more than they are: with many lags, it chooses too small
# a decay. Set one then: solver_options={"decays": [0.003], "selections": []}.
X_train, y_train = X[: -TEST - HORIZONS], y[: -TEST - HORIZONS]
X_test, y_test = X[-TEST:], y[-TEST:]

model = MODNRegressor(random_state=0).fit(X_train, y_train)
ridge = RidgeCV(np.logspace(-2, 3, 6)).fit(X_train, y_train)
last = np.repeat(X_test[["now"]].to_numpy(), HORIZONS, axis=1)

print(f"R2 on the last {TEST} samples, by horizon:")
for name, forecast in (
    ("MODN", model.predict(X_test)),
    ("ridge", ridge.predict(X_test)),
    ("last value", last),
):
    scores = r2_score(y_test, forecast, multioutput="raw_values")
    print(f"  {name:10}", *(f"{step} {score:6.3f} " for step, score in zip(y, scores, strict=True)))

print("\nThe three dendrites with the largest effects:")
for effect in effects(model, X=X_train).effects[:3]:
    print(f"  {effect}")
