"""
Diverse members help more
=========================

For forests of few and many candidate features per split: how often members disagree, and how much
the forest improves on them.
"""

import ilk
from ilk_ensembles.plotting import diversity_uplift, kappa_error
from ilk_evaluation import diversity

X, y = ilk.dataset("breast_cancer").load().Xy
even, odd = slice(0, None, 2), slice(1, None, 2)
disagreements, uplifts, names = [], [], []
for share in (0.05, 0.1, 0.2, 0.4, 1.0):
    forest = ilk.classifier("random_subspace", max_features=share, n_members=15, random_state=0)
    forest.fit(X[even], y[even])
    answers = diversity.member_labels(forest, X[odd])
    single = (answers.labels == y[odd]).mean()
    disagreements.append(diversity.mean_of_pairs(diversity.plain_disagreement(answers)))
    uplifts.append(forest.score(X[odd], y[odd]) - single)
    names.append(f"{share:.0%} of features")
diversity_uplift(disagreements, uplifts, names=names, measure="disagreement")

# %%
# Each pair of members of a bagged tree: those at the left agree little, those at the bottom err
# little.
bag = ilk.classifier("bagging", member="decision_tree", n_members=15, random_state=0)
answers = diversity.member_labels(bag.fit(X[even], y[even]), X[odd])
kappa_error(diversity.kappa(answers), (answers.labels != y[odd]).mean(axis=1))
