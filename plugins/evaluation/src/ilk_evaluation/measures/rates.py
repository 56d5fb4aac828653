"""Rates of right and wrong answers about a class: precision, recall and their kin."""

from __future__ import annotations

from ilk_evaluation.measures.rate import Counts, Parts, Rate


class Precision(Rate):
    """Share of the cases said to be of a class that are: positive predictive value.

    ``TP / (TP + FP)``, of the answered cases. With ``average="macro"`` it is the mean of the rates
    of the classes to which an answered case belongs, with ``"weighted"`` their mean weighted by
    those cases, with ``"micro"`` the rate of the summed counts, which is the accuracy. Which
    classes an average leaves out is said in `remarks`, and so among the notes of an experiment.

    Parameters
    ----------
    positive : label, optional
        The class that is looked for: the second of two by default. Of more classes it must be
        named, unless there is an `average`.
    average : {"macro", "micro", "weighted"}, optional
        Over the classes, each held against the rest.
    undefined : float, optional
        What to count the rate as where no case was said to be of the class. By default that is an
        error, and NaN with a note in an experiment: it is not silently 0.

    Raises
    ------
    InputError
        Where the rate is not defined, where `positive` is no class, or is needed.

    References
    ----------
    Arras, Supervised Learning part 3, performance measures; System Evaluation slides.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, labels = np.array(list("nnnyyyy")), np.array(list("nyynyyy"))
    >>> prediction = ilk.Prediction(truth, labels, classes=np.array(["n", "y"]))
    >>> round(ilk.measure("precision")(prediction), 4)
    0.6
    """

    greater_is_better = True

    def _parts(self, counts: Counts) -> Parts:
        return counts.tp, counts.tp + counts.fp

    def _nothing(self) -> str:
        return "no answered case was said to be of it"


class Recall(Rate):
    """Share of the cases of a class that were found: true positive rate, sensitivity.

    ``TP / (TP + FN)``, of the answered cases. With ``average="macro"`` it is the mean of the rates
    of the classes to which an answered case belongs, with ``"weighted"`` their mean weighted by
    those cases, with ``"micro"`` the rate of the summed counts, which is the accuracy. Which
    classes an average leaves out is said in `remarks`, and so among the notes of an experiment.

    Parameters
    ----------
    positive : label, optional
        The class that is looked for: the second of two by default. Of more classes it must be
        named, unless there is an `average`.
    average : {"macro", "micro", "weighted"}, optional
        Over the classes, each held against the rest.
    undefined : float, optional
        What to count the rate as where no case is of the class. By default that is an error, and
        NaN with a note in an experiment: it is not silently 0.

    Raises
    ------
    InputError
        Where the rate is not defined, where `positive` is no class, or is needed.

    References
    ----------
    Arras, Supervised Learning part 3, performance measures; System Evaluation slides.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, labels = np.array(list("nnnyyyy")), np.array(list("nyynyyy"))
    >>> prediction = ilk.Prediction(truth, labels, classes=np.array(["n", "y"]))
    >>> round(ilk.measure("recall")(prediction), 4)
    0.75
    """

    greater_is_better = True

    def _parts(self, counts: Counts) -> Parts:
        return counts.tp, counts.tp + counts.fn

    def _nothing(self) -> str:
        return "no answered case belongs to it"


class Specificity(Rate):
    """Share of the cases not of a class that were not said to be: true negative rate.

    ``TN / (TN + FP)``, of the answered cases. With ``average="macro"`` it is the mean of the rates
    of the classes to which an answered case belongs, with ``"weighted"`` their mean weighted by
    those cases, with ``"micro"`` the rate of the summed counts. Which classes an average leaves
    out is said in `remarks`, and so among the notes of an experiment.

    Parameters
    ----------
    positive : label, optional
        The class that is looked for: the second of two by default. Of more classes it must be
        named, unless there is an `average`.
    average : {"macro", "micro", "weighted"}, optional
        Over the classes, each held against the rest.
    undefined : float, optional
        What to count the rate as where all cases are of the class. By default that is an error,
        and NaN with a note in an experiment: it is not silently 0.

    Raises
    ------
    InputError
        Where the rate is not defined, where `positive` is no class, or is needed.

    References
    ----------
    System Evaluation slides, measuring error.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, labels = np.array(list("nnnyyyy")), np.array(list("nyynyyy"))
    >>> prediction = ilk.Prediction(truth, labels, classes=np.array(["n", "y"]))
    >>> round(ilk.measure("specificity")(prediction), 4)
    0.3333
    """

    greater_is_better = True

    def _parts(self, counts: Counts) -> Parts:
        return counts.tn, counts.tn + counts.fp

    def _nothing(self) -> str:
        return "all answered cases belong to it"


class FalsePositiveRate(Rate):
    """Share of the cases not of a class that were said to be: false alarms, fall-out.

    ``FP / (FP + TN) = 1 - specificity``, of the answered cases. With ``average="macro"`` it is the
    mean of the rates of the classes to which an answered case belongs, with ``"weighted"`` their
    mean weighted by those cases, with ``"micro"`` the rate of the summed counts. Which classes an
    average leaves out is said in `remarks`, and so among the notes of an experiment.

    Parameters
    ----------
    positive : label, optional
        The class that is looked for: the second of two by default. Of more classes it must be
        named, unless there is an `average`.
    average : {"macro", "micro", "weighted"}, optional
        Over the classes, each held against the rest.
    undefined : float, optional
        What to count the rate as where all cases are of the class. By default that is an error,
        and NaN with a note in an experiment: it is not silently 0.

    Raises
    ------
    InputError
        Where the rate is not defined, where `positive` is no class, or is needed.

    References
    ----------
    Arras, Supervised Learning part 3, performance measures; System Evaluation slides.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, labels = np.array(list("nnnyyyy")), np.array(list("nyynyyy"))
    >>> prediction = ilk.Prediction(truth, labels, classes=np.array(["n", "y"]))
    >>> round(ilk.measure("false_positive_rate")(prediction), 4)
    0.6667
    """

    greater_is_better = False

    def _parts(self, counts: Counts) -> Parts:
        return counts.fp, counts.tn + counts.fp

    def _nothing(self) -> str:
        return "all answered cases belong to it"


class F1(Rate):
    """Harmonic mean of precision and recall.

    ``2 PR / (P + R) = 2 TP / (2 TP + FP + FN)``, of the answered cases. With ``average="macro"``
    it is the mean of the rates of the classes to which an answered case belongs, with
    ``"weighted"`` their mean weighted by those cases, with ``"micro"`` the rate of the summed
    counts, which is the accuracy. Which classes an average leaves out is said in `remarks`, and so
    among the notes of an experiment.

    Parameters
    ----------
    positive : label, optional
        The class that is looked for: the second of two by default. Of more classes it must be
        named, unless there is an `average`.
    average : {"macro", "micro", "weighted"}, optional
        Over the classes, each held against the rest.
    undefined : float, optional
        What to count the rate as where no case is of the class, nor was said to be: by the second
        form it is 0 where precision alone is not defined. By default that is an error, and NaN
        with a note in an experiment: it is not silently 0.

    Raises
    ------
    InputError
        Where the rate is not defined, where `positive` is no class, or is needed.

    References
    ----------
    Arras, Supervised Learning part 3, performance measures.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, labels = np.array(list("nnnyyyy")), np.array(list("nyynyyy"))
    >>> prediction = ilk.Prediction(truth, labels, classes=np.array(["n", "y"]))
    >>> round(ilk.measure("f1")(prediction), 4)
    0.6667
    """

    greater_is_better = True

    def _parts(self, counts: Counts) -> Parts:
        return 2 * counts.tp, 2 * counts.tp + counts.fp + counts.fn

    def _nothing(self) -> str:
        return "no answered case belongs to it or was said to"
