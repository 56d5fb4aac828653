"""mlp: a multi-layer perceptron, by scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from sklearn.neural_network import MLPClassifier

from ilk import Capabilities, Param, Seed
from ilk_learners.classifiers.cases import EstimatorClassifier, check_cases


class MLP(EstimatorClassifier):
    """Layers of units, each a function of a weighted sum of those before (multi-layer perceptron).

    The last layer's softmax (logistic function for two classes) is the probability of each
    class; the mean cross-entropy plus alpha/(2 n) times the sum of squared weights is minimised
    by scikit-learn's MLPClassifier. Standardize features first: units start near 0.

    Parameters
    ----------
    hidden : int or list of int, default=100
        Units in the hidden layer, or in each of them.
    activation : {"relu", "tanh", "logistic", "identity"}, default="relu"
        Of hidden units.
    alpha : float, default=1e-4
        Of the penalty.
    solver : {"adam", "lbfgs", "sgd"}, default="adam"
        "lbfgs" uses all cases at once: best where they are few.
    learning_rate : float, default=1e-3
        First length of a step, but for "lbfgs".
    batch_size : int or None, default=None
        Cases in a step, but for "lbfgs"; min(200, n) if left out.
    max_iter : int, default=200
        Most passes over the cases, or iterations of "lbfgs".
    tol : float, default=1e-4
        Improvement of the loss below which it stops.
    early_stopping : bool, default=False
        Whether a tenth of the cases is held out, to stop when they are not answered better.
    random_state : int, generator or None, default=None
        For weights at the start, batches and cases held out.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    n_iter_ : int
        Passes or iterations.
    loss_ : float
        At the end.
    estimator_ : MLPClassifier
        Fitted on 0..n_classes - 1.

    Raises
    ------
    InputError
        If there is one class, if weights become infinite as X is too large, or if a class is
        too small for early stopping.

    Warns
    -----
    ConvergenceWarning
        If it has not converged after `max_iter` iterations.

    References
    ----------
    D. E. Rumelhart, G. E. Hinton and R. J. Williams, "Learning representations by
    back-propagating errors", *Nature* 323, 1986. D. P. Kingma and J. Ba, "Adam: a method for
    stochastic optimization", ICLR 2015.

    Examples
    --------
    >>> import ilk
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]
    >>> mlp = ilk.classifier("mlp", hidden=8, solver="lbfgs", random_state=1).fit(X, y)
    >>> mlp.predict(X).tolist()
    ['no', 'yes', 'yes', 'no']
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "hidden": Param((int, list), ge=1, items=Param(int, ge=1), doc="Units in each layer."),
        "activation": Param(choices=("relu", "tanh", "logistic", "identity"), doc="Of units."),
        "alpha": Param(float, ge=0, doc="Of the penalty on squared weights."),
        "solver": Param(choices=("adam", "lbfgs", "sgd"), doc="How the loss is minimised."),
        "learning_rate": Param(float, gt=0, doc="First length of a step, but for lbfgs."),
        "batch_size": Param(int, ge=1, none=True, doc="Cases in a step, but for lbfgs."),
        "max_iter": Param(int, ge=1, doc="Most passes over the cases."),
        "tol": Param(float, gt=0, doc="Improvement of the loss below which it stops."),
        "early_stopping": Param(bool, doc="Whether cases are held out to tell when to stop."),
        "random_state": Param(Seed, doc="For weights at the start, and batches."),
    }
    relies_on: ClassVar[tuple[str, ...]] = ("scikit-learn",)
    capabilities: ClassVar[Capabilities] = Capabilities(probabilistic=True)

    def __init__(
        self,
        hidden: Any = 100,
        activation: Literal["relu", "tanh", "logistic", "identity"] = "relu",
        alpha: float = 1e-4,
        solver: Literal["adam", "lbfgs", "sgd"] = "adam",
        learning_rate: float = 1e-3,
        batch_size: int | None = None,
        max_iter: int = 200,
        tol: float = 1e-4,
        early_stopping: bool = False,
        random_state: Any = None,
    ) -> None:
        self.hidden = hidden
        self.activation = activation
        self.alpha = alpha
        self.solver = solver
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.tol = tol
        self.early_stopping = early_stopping
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(hidden=8, solver="lbfgs", random_state=0),
            cls(hidden=[20, 10], activation="tanh", learning_rate=0.02, random_state=0),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that there is a hidden layer."""
        super().check_parameters()
        if not isinstance(self.hidden, int) and len(self.hidden) == 0:
            raise self.parameter_error("hidden", "must name at least one layer, got none")

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the weights.

        Parameters
        ----------
        X : array of shape (n, p)
        y : array of shape (n,)
        """
        self.check_parameters()
        self._fit(check_cases(self, X, y), None)
        self.n_iter_ = int(self.estimator_.n_iter_)
        self.loss_ = float(self.estimator_.loss_)
        return self

    def _estimator(self) -> MLPClassifier:
        hidden = (self.hidden,) if isinstance(self.hidden, int) else tuple(self.hidden)
        return MLPClassifier(
            hidden_layer_sizes=hidden,
            activation=self.activation,
            alpha=self.alpha,
            solver=self.solver,
            learning_rate_init=self.learning_rate,
            batch_size="auto" if self.batch_size is None else self.batch_size,
            max_iter=self.max_iter,
            tol=self.tol,
            early_stopping=self.early_stopping,
            random_state=self._seed(),
        )
