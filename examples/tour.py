# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # From data to circuit in ten minutes
#
# Train a dendritic neuron on medical data, look inside, turn it into a circuit of a few rules, and export
# it as a C function. This page is a script, `examples/tour.py`: run it with `python examples/tour.py`, or
# open it as a notebook with Jupytext. It needs the extras `cli` and `plots`, and writes its files to the
# current folder.

# %% [markdown]
# ## 1. The data
#
# 569 tumours, described by 30 measurements of the nuclei of their cells. A third is kept aside for tests.

# %%
from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

data = load_breast_cancer(as_frame=True)
kind = data.target_names[data.target]
X, X_test, y, y_test = train_test_split(data.data, kind, test_size=1 / 3, stratify=kind, random_state=0)
print(X.shape, X_test.shape)
print(X.iloc[:3, :4])

# %% [markdown]
# ## 2. A neuron
#
# No scaling, no settings: the classifier scales the features, selects among them, and chooses how strongly
# its weights decay by a cross-validation within the training part.

# %%
from modn import MODNClassifier

model = MODNClassifier(random_state=0).fit(X, y)
print(f"accuracy on tumours it has not seen: {model.score(X_test, y_test):.3f}")

# %% [markdown]
# Its probabilities are calibrated. Here are three tumours of the test part:

# %%
import pandas as pd

probabilities = pd.DataFrame(model.predict_proba(X_test[:3]).round(3), columns=model.classes_)
print(probabilities.assign(truth=y_test[:3]))

# %% [markdown]
# ## 3. Compare it
#
# A small model has to earn its place. The same folds for all, default parameters:

# %%
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

rivals = {
    "MODN": MODNClassifier(random_state=0),
    "random forest": RandomForestClassifier(random_state=0),
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
}
for name, rival in rivals.items():
    scores = cross_val_score(rival, X, y, cv=3)
    print(f"{name:20} {scores.mean():.3f} (cross-validated, folds {scores.min():.3f} to {scores.max():.3f})")

# %% [markdown]
# ## 4. Look inside
#
# Five features and six dendrites are few enough to draw. Each column is a dendrite: a conjunction of its
# synapses. Empty circles have no effect; the dots below are the learned filter P, which joins dendrites to
# classes.

# %%
from modn import plots

few = ["worst area", "worst concave points", "worst texture", "mean concavity", "area error"]
small = MODNClassifier(n_dendrites=6, random_state=0).fit(X[few], y)
print(f"six dendrites, five features: {small.score(X_test[few], y_test):.3f}")
plots.save(plots.neuron(small), "tour_neuron.png")

# %% [markdown]
# ## 5. A circuit
#
# A circuit has steps instead of sigmoids. It learns from the neuron, and adds up the weights of the rules
# that hold.

# %%
circuit = model.to_circuit(X, y, size=5)
print(circuit)
print(f"accuracy of the circuit on the test part: {(circuit.predict(X_test) == y_test).mean():.3f}")
plots.save(plots.circuit(circuit), "tour_circuit.png")

# %% [markdown]
# Why is one tumour decided so, and what would change the decision?

# %%
print(circuit.explain(X_test.iloc[0]))

# %% [markdown]
# ## 6. Take it along
#
# Models and circuits are saved as arrays and JSON. Exports are programs without dependencies.

# %%
import modn

modn.save(model, "tour.modn")
print((modn.load("tour.modn").predict(X_test) == model.predict(X_test)).all())
Path("tour.c").write_text(circuit.to_c())
print(circuit.to_python())

# %% [markdown]
# Next: [your own data](../docs/own_data.md), [circuits and deployment](../docs/deployment.md), or [the
# model](../docs/model.md) with a neuron to play with.
