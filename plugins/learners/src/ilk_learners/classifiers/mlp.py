"""mlp: a multi-layer perceptron, by scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from ilk import Capabilities, Param, RandomState, Seed, param
from ilk_learners.classifiers.training_cases import EstimatorClassifier, check_cases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sklearn.neural_network import MLPClassifier

    from ilk import Cases, Labels


class MLP(EstimatorClassifier):
    """Multi-layer perceptron: layers of units over weighted sums of the previous layer.

    The softmax of the last layer (logistic function for two classes) gives the class
    probabilities. scikit-learn's MLPClassifier minimises the mean cross-entropy plus alpha/(2 n)
    times the sum of squared weights. Standardize features first: units start near 0.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    n_iter_ : int
        Epochs or iterations.
    loss_ : float
        Final loss.
    n_parameters_ : int
        Weights and thresholds; of more than two output units one is not free.
    estimator_ : MLPClassifier
        Fitted on 0..n_classes - 1.

    Raises
    ------
    InputError
        If there is only one class, if X is so large that weights overflow, or if a class is too
        small for early stopping.

    Warns
    -----
    ConvergenceWarning
        If it has not converged after `max_iter` iterations.

    References
    ----------
    D. E. Rumelhart, G. E. Hinton and R. J. Williams, "Learning representations by back-propagating
    errors", *Nature* 323, 1986. D. P. Kingma and J. Ba, "Adam: a method for stochastic
    optimization", ICLR 2015.

    Evaluation slides: Two-Layer Perceptron; Universal Approximators; Perceptrons vs RBF Networks.

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
        doc="Number of hidden units, or one number per hidden layer.",
    )
    activation: Literal["relu", "tanh", "logistic", "identity"] = param(
        default="relu",
        choices=("relu", "tanh", "logistic", "identity"),
        doc="Activation function of hidden units.",
    )
    alpha: float = param(default=0.0001, ge=0, doc="Strength of the penalty.")
    solver: Literal["adam", "lbfgs", "sgd"] = param(
        default="adam",
        choices=("adam", "lbfgs", "sgd"),
        doc='"lbfgs" uses all cases in each step: best for few cases.',
    )
    learning_rate: float = param(
        default=0.001,
        gt=0,
        doc='Initial step size; unused by "lbfgs".',
    )
    batch_size: int | None = param(
        default=None,
        type=int,
        ge=1,
        doc='Cases per step; unused by "lbfgs". None: min(200, n).',
    )
    max_iter: int = param(
        default=200,
        ge=1,
        doc='Maximal epochs, or iterations of "lbfgs".',
    )
    tol: float = param(default=0.0001, gt=0, doc="Smallest improvement of the loss to continue.")
    early_stopping: bool = param(
        default=False,
        doc="Whether to hold out a tenth of the cases and stop when their accuracy stops rising.",
    )
    random_state: RandomState = param(
        default=None,
        type=Seed,
        doc="For initial weights, batches and held-out cases.",
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
        """Check each parameter, and that at least one hidden layer is given."""
        super().check_parameters()
        if not isinstance(self.hidden, int) and len(self.hidden) == 0:
            raise self.parameter_error("hidden", "must name at least one layer, got none")

    def fit(self, X: Cases, y: Labels) -> Self:
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
        from sklearn.neural_network import MLPClassifier

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

    @property
    def n_parameters_(self) -> int:
        """Number of free parameters: softmax leaves those of one class open."""
        layers = [*self.estimator_.coefs_, *self.estimator_.intercepts_]
        units = len(self.estimator_.coefs_[-1])
        return sum(int(each.size) for each in layers) - (units + 1 if len(self.classes_) > 2 else 0)
