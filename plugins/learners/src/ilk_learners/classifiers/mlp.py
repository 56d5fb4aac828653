"""mlp: a multi-layer perceptron, by scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from sklearn.neural_network import MLPClassifier

from ilk import Capabilities, Param, RandomState, Seed, param
from ilk_learners.classifiers.cases import EstimatorClassifier, check_cases

if TYPE_CHECKING:
    from collections.abc import Sequence


class MLP(EstimatorClassifier):
    """Layers of units, each a function of a weighted sum of those before (multi-layer perceptron).

    The last layer's softmax (logistic function for two classes) is the probability of each
    class; the mean cross-entropy plus alpha/(2 n) times the sum of squared weights is minimised
    by scikit-learn's MLPClassifier. Standardize features first: units start near 0.

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

    hidden: int | Sequence[Any] = param(
        default=100,
        type=(int, list),
        ge=1,
        items=Param(int, ge=1),
        form="int or list of int",
        doc="Units in the hidden layer, or in each of them.",
    )
    activation: Literal["relu", "tanh", "logistic", "identity"] = param(
        default="relu",
        choices=("relu", "tanh", "logistic", "identity"),
        doc="Of hidden units.",
    )
    alpha: float = param(default=0.0001, ge=0, doc="Of the penalty.")
    solver: Literal["adam", "lbfgs", "sgd"] = param(
        default="adam",
        choices=("adam", "lbfgs", "sgd"),
        doc='"lbfgs" uses all cases at once: best where they are few.',
    )
    learning_rate: float = param(
        default=0.001,
        gt=0,
        doc='First length of a step, but for "lbfgs".',
    )
    batch_size: int | None = param(
        default=None,
        type=int,
        ge=1,
        doc='Cases in a step, but for "lbfgs"; min(200, n) if left out.',
    )
    max_iter: int = param(
        default=200,
        ge=1,
        doc='Most passes over the cases, or iterations of "lbfgs".',
    )
    tol: float = param(default=0.0001, gt=0, doc="Improvement of the loss below which it stops.")
    early_stopping: bool = param(
        default=False,
        doc="Whether a tenth of the cases is held out, to stop when they are not answered better.",
    )
    random_state: RandomState = param(
        default=None,
        type=Seed,
        doc="For weights at the start, batches and cases held out.",
    )
    relies_on: ClassVar[tuple[str, ...]] = ("scikit-learn",)
    capabilities: ClassVar[Capabilities] = Capabilities(probabilistic=True)

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
