"""Train on iris, print the rules, save the model.

python examples/iris_rules.py
"""

import tempfile
from pathlib import Path

from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

import modn
from modn.explain import rules

iris = load_iris(as_frame=True)
species = iris.target_names[iris.target]
X_train, X_test, y_train, y_test = train_test_split(
    iris.data, species, test_size=0.3, stratify=species, random_state=0
)

# Two dendrites for each class: few rules to read.
model = modn.MODNClassifier(n_dendrites=6, random_state=0).fit(X_train, y_train)
print(f"accuracy on {len(y_test)} flowers it has not seen: {model.score(X_test, y_test):.3f}\n")
print(rules(model, X=X_test, y=y_test))

with tempfile.TemporaryDirectory() as folder:
    modn.save(model, Path(folder) / "iris.modn")
    again = modn.load(Path(folder) / "iris.modn")
print(f"\nthe same from its file: {(again.predict(X_test) == model.predict(X_test)).all()}")
