"""A pipeline with missing values, and a search for the number of dendrites by cross-validation.

python examples/grid_search.py
"""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline

from modn import MODNClassifier

X, y = load_wine(return_X_y=True)
X[np.random.default_rng(0).random(X.shape) < 0.02] = np.nan
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)

pipeline = Pipeline([("impute", SimpleImputer(strategy="median")), ("modn", MODNClassifier(random_state=0))])
search = GridSearchCV(pipeline, {"modn__n_dendrites": [6, 15, 30]}, cv=3).fit(X_train, y_train)
for parameters, score in zip(
    search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
):
    print(f"{parameters['modn__n_dendrites']:3} dendrites: {score:.3f} in cross-validation")
print(f"the best on {len(y_test)} wines it has not seen: {search.score(X_test, y_test):.3f}")
