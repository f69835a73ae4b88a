"""The estimator: a search for the kernel, with the manners of scikit-learn."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from inspect import signature
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_array, check_random_state, estimator_html_repr
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from . import _data, _engine, _settings
from ._explanation import Explanation
from ._progress import ProgressBar
from ._search import history_frame

if TYPE_CHECKING:
    from sklearn.gaussian_process import GaussianProcessRegressor

    from .export import TransformedTarget

# What a search has as parameters here but the engine's tables do not.
_OF_THE_ESTIMATOR = (
    "preset", "random_state", "missing", "no_scale", "categories", "out", "resume", "force", "quiet",
    "n_jobs",
)
_LARGEST_SEED = np.iinfo(np.int32).max


class DataNote(UserWarning):
    """What a careful reader of the data should know."""


class KernelSearchRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Gaussian process regression that finds its own kernel.

    Searches the space of kernel expressions such as ``LIN + SE*PER`` for the one with the largest
    evidence, and predicts with it. Inputs are scaled to [0, 1] and the target to mean 0 and standard
    deviation 1; all results are in the units of the data.

    Parameters
    ----------
    preset : {"default", "paper"}, default="default"
        Settings as a whole: the best we know, or the paper's to the letter. Every setting below that
        is None is as the preset has it.
    random_state : int, RandomState or None, default=1
        The seed of the search (``--seed``). The same seed gives the same result for the same number
        of threads, and with ``deterministic=True`` for any.
    n_jobs : int, optional
        The same as ``threads``, counted as everywhere in scikit-learn: -1 is all cores, -2 all but one. Unlike
        elsewhere None is not 1: it leaves the number to ``threads``, whose default is all cores.
    missing : {"reject", "drop"}, default="reject"
        What to do about rows with a missing or infinite value, in X or y.
    no_scale : bool, default=False
        Inputs and target are taken as they are.
    categories : list of str, optional
        Inputs to take as categories whatever they hold. Those of the dtypes category and bool, and of
        text with few levels, are without being named.
    out : path, optional
        Folder that keeps every evaluation the moment it is done, as ``covary search --out``.
    resume, force : bool, default=False
        Go on with the run in that folder; replace it.
    quiet : bool, default=False
        No progress bar and no notes on the data.
    {settings}

    Attributes
    ----------
    kernel_ : str
        The best kernel, with the inputs' names.
    log_evidence_ : float
        Its log evidence on the scaled data; of a search by another criterion, see ``value_``.
    value_ : float
        Its value of the criterion.
    history_ : DataFrame
        Every evaluation of the search, in the order of proposals.
    finalists_ : DataFrame
        The best kernels after they were fitted once more, the best first; ``undecided`` are those that
        all rows might prefer to the best one, where kernels were compared on some of them.
    target_transform_ : str
        What the target was transformed by, as part of the model: "none", "log", ...
    inputs_ : list of str
        The inputs of the model: those that ``screen`` has kept.
    model_ : Ensemble
        The fitted model with its data, which predictions are averaged over: kernels, and parameters of each
        that the data allow. The first member is the best kernel at its best parameters.
    search_result_ : SearchResult
        All that the search gave.
    n_features_in_, feature_names_in_
        As scikit-learn has them.

    Examples
    --------
    >>> import numpy as np
    >>> from covary import KernelSearchRegressor
    >>> x = np.linspace(0, 10, 60)
    >>> y = 0.3 * x + np.sin(2 * np.pi * x)
    >>> model = KernelSearchRegressor(max_evaluations=12, restarts=4, random_state=1)
    >>> model.fit(x[:, None], y).score(x[:, None], y) > 0.99
    True
    >>> mean, sd = model.predict(np.array([[10.25]]), return_std=True)
    >>> bool(abs(mean[0] - (0.3 * 10.25 + 1.0)) < 0.1)
    True
    """

    def __init__(
        self,
        *,
        preset: str = "default",
        space: str | Iterable[str] | None = None,
        operators: str | Iterable[str] | None = None,
        max_leaves: int | None = None,
        method: str | None = None,
        max_evaluations: int | None = None,
        time_limit: float | None = None,
        criterion: str | None = None,
        mean: str | None = None,
        target_transform: str | None = None,
        random_state: Any = 1,
        threads: int | None = None,
        n_jobs: int | None = None,
        deterministic: bool | None = None,
        ensemble: int | None = None,
        average: str | None = None,
        screen: int | str | None = None,
        fidelity: str | None = None,
        device: str | None = None,
        finalists: int | None = None,
        restarts: int | None = None,
        max_iterations: int | None = None,
        folds: int | None = None,
        laplace: str | None = None,
        priors: str | None = None,
        starts: str | None = None,
        unique: str | None = None,
        acquisition: str | None = None,
        population: int | None = None,
        generations: int | None = None,
        no_warm_starts: bool | None = None,
        missing: str = "reject",
        no_scale: bool = False,
        categories: Iterable[str] | None = None,
        out: str | os.PathLike[str] | None = None,
        resume: bool = False,
        force: bool = False,
        quiet: bool = False,
    ) -> None:
        self.preset = preset
        self.space = space
        self.operators = operators
        self.max_leaves = max_leaves
        self.method = method
        self.max_evaluations = max_evaluations
        self.time_limit = time_limit
        self.criterion = criterion
        self.mean = mean
        self.target_transform = target_transform
        self.random_state = random_state
        self.threads = threads
        self.n_jobs = n_jobs
        self.deterministic = deterministic
        self.ensemble = ensemble
        self.average = average
        self.screen = screen
        self.fidelity = fidelity
        self.device = device
        self.finalists = finalists
        self.restarts = restarts
        self.max_iterations = max_iterations
        self.folds = folds
        self.laplace = laplace
        self.priors = priors
        self.starts = starts
        self.unique = unique
        self.acquisition = acquisition
        self.population = population
        self.generations = generations
        self.no_warm_starts = no_warm_starts
        self.missing = missing
        self.no_scale = no_scale
        self.categories = categories
        self.out = out
        self.resume = resume
        self.force = force
        self.quiet = quiet

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "drop"
        return tags

    # ---- The search ------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, executor: Any = None) -> KernelSearchRegressor:
        """Searches for the best kernel and fits it.

        Ctrl-C ends the search within a second; the estimator then holds the best model so far, and
        KeyboardInterrupt is raised as usual.

        Parameters
        ----------
        X : array or DataFrame of shape (rows, inputs)
            Numbers; in a DataFrame also dates and categories: the dtypes category and bool, and text
            with few levels.
        y : array or Series of shape (rows,)
        executor : concurrent.futures.Executor or dask.distributed.Client, optional
            Who evaluates kernels, in the place of ``threads`` of this process. Results are taken as
            they come, or with ``deterministic=True`` such that the result is that of a local search.
        """
        options = self._search_options()
        data = self._dataset(X, y)
        if not self.quiet:
            for note in data.notes:
                warnings.warn(note, DataNote, stacklevel=2)
        progress = ProgressBar(self.quiet)
        try:
            result, exception = self._search(data, options, executor, progress)
        finally:
            progress.close()
        self._keep(result, options)
        screening = result.ensemble.data.screening_note
        if screening is not None and not self.quiet:
            warnings.warn(screening, DataNote, stacklevel=2)
        if exception is not None:
            raise exception
        return self

    def _search_options(self) -> _engine.SearchOptions:
        values = {name: value for name, value in self.get_params().items() if name not in _OF_THE_ESTIMATOR}
        values["seed"] = self._seed()
        if self.n_jobs is not None:
            values["threads"] = self._num_threads()
        return _settings.search_options(self.preset, values)

    def _num_threads(self) -> int:
        if self.threads is not None:
            raise ValueError("n_jobs and threads mean the same; give one of them")
        if not isinstance(self.n_jobs, (int, np.integer)) or isinstance(self.n_jobs, bool) or self.n_jobs == 0:
            raise ValueError(f"n_jobs must be a whole number other than 0, such as 2 or -1, not {self.n_jobs!r}")
        return int(effective_n_jobs(self.n_jobs))

    def _seed(self) -> int:
        if isinstance(self.random_state, (int, np.integer)):
            if not 0 <= self.random_state < 2**64:
                raise ValueError(
                    f"random_state must be a whole number from 0 to 2**64 - 1, not {self.random_state}"
                )
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(_LARGEST_SEED))

    def _dataset(self, X: Any, y: Any) -> _engine.Dataset:
        numbers, kinds = _data.as_numbers(X, categories=self.categories)
        name = _data.name_of_target(y, _data.names_of_inputs(numbers, 0))
        if y is None:
            validate_data(self, numbers, y, skip_check_array=True)  # says that it is needed
        # What is not finite is the engine's to refuse, by row and column, or to leave out.
        table = validate_data(self, numbers, dtype=np.float64, ensure_all_finite=False, ensure_min_samples=3)
        target = _data.target_of(y)
        check_consistent_length(table, target)
        names = _data.names_of_inputs(numbers, table.shape[1])
        columns = _data.columns_of(table, names, kinds)
        return _data.dataset_of(
            columns, pd.Series(target, name=name), missing=self.missing, no_scale=self.no_scale, categories=self.categories
        )

    def _search(
        self, data: _engine.Dataset, options: _engine.SearchOptions, executor: Any, progress: ProgressBar
    ) -> tuple[_engine.SearchResult, BaseException | None]:
        folder = None if self.out is None else os.fspath(self.out)
        if folder == "":
            raise ValueError("out must name the folder of the run, or be None to keep nothing")
        if executor is None:
            found = _engine.search(data, options, folder, self.resume, self.force, progress)
            return found[0], cast("BaseException | None", found[1])
        from ._workers import Driver, workers_of

        workers = workers_of(executor)
        stepped = _engine.SteppedSearch(data, options, folder, self.resume, self.force)
        return Driver(stepped, cast("_engine.Dataset", stepped.data), workers, progress).run()

    def _keep(self, result: _engine.SearchResult, options: _engine.SearchOptions) -> None:
        self._keep_model(result.ensemble)
        self.search_result_ = result
        self.value_ = result.value
        if _settings.criterion_of(options).is_log_evidence:
            self.log_evidence_ = result.value
        self.history_ = history_frame(result.history)
        self.finalists_ = pd.DataFrame(result.finalists, columns=["kernel", "value", "undecided"])
        self._options = options

    def _keep_model(self, model: _engine.Ensemble) -> None:
        for name in ("search_result_", "value_", "log_evidence_", "history_", "finalists_", "_explanation", "_run"):
            self.__dict__.pop(name, None)
        self.model_ = model
        self.kernel_ = str(model.members[0].kernel)
        self.inputs_ = model.data.input_names
        self.target_transform_ = model.data.target_transform

    # ---- Predictions -----------------------------------------------------------------------------

    def _columns(self, X: Any) -> list[_data.Floats]:
        """X as the columns that the model takes."""
        check_is_fitted(self)
        used = _data.kinds_of(self.model_.data)
        names = list(getattr(self, "feature_names_in_", [f"x{i}" for i in range(self.n_features_in_)]))
        frame = _data.frame_of(X)
        if frame is not None:  # before what the columns hold is looked at, in the order of the fit
            validate_data(self, frame, reset=False, skip_check_array=True)
        numbers, _ = _data.as_numbers(X if frame is None else frame, [used.get(name) for name in names])
        if frame is None:
            table = validate_data(self, numbers, reset=False, dtype=np.float64, ensure_all_finite=False)
        else:
            table = check_array(numbers, dtype=np.float64, ensure_all_finite=False)
        return [np.ascontiguousarray(table[:, names.index(name)]) for name in used]

    def predict(
        self,
        X: Any,
        return_std: bool = False,
        return_cov: bool = False,
        return_quantiles: float | Iterable[float] | None = None,
    ) -> Any:
        """The mean of y at new points, and on demand how sure it is, the noise included.

        Parameters
        ----------
        return_std : bool
            Also the standard deviation of y.
        return_cov : bool
            Also the covariance matrix of y at all points; of a transformed target, that of the
            transformed one.
        return_quantiles : float or list of float
            Also the quantiles of y for these probabilities, a column each.

        Returns
        -------
        mean, or a tuple of mean and what was asked for, in this order.
        """
        columns = self._columns(X)
        prediction = self.model_.predict(columns)
        found: list[Any] = [prediction.mean]
        if return_std:
            found.append(prediction.sd)
        if return_cov:
            found.append(self.model_.covariance(columns))
        if return_quantiles is not None:
            wanted = np.atleast_1d(np.asarray(return_quantiles, dtype=np.float64))
            if not np.all((wanted > 0) & (wanted < 1)):
                raise ValueError("return_quantiles are probabilities between 0 and 1, such as [0.025, 0.975]")
            found.append(np.column_stack([prediction.quantile(p) for p in wanted]))
        return found[0] if len(found) == 1 else tuple(found)

    def sample_y(self, X: Any, n_samples: int = 1, random_state: int = 0) -> _data.Floats:
        """Draws of y, the noise included, jointly at all points: a column each."""
        return self.model_.sample(self._columns(X), n_samples, random_state).T

    def forecast(self, horizon: int, levels: Iterable[float] = (80, 95)) -> pd.DataFrame:
        """The next steps of a time series: what ``covary forecast`` prints.

        Steps follow the calendar: months are months. Rows may be missing in the data of the fit, but
        they need a regular step.

        Parameters
        ----------
        horizon : int
            So many steps.
        levels : list of float
            Of the intervals, in %.

        Returns
        -------
        DataFrame with ``mean``, ``median``, ``sd`` and for every level ``lower_80``, ``upper_80``, ...,
        indexed by time.

        Examples
        --------
        >>> import pandas as pd, covary
        >>> X = pd.DataFrame({"month": pd.period_range("2021-01", periods=24, freq="M")})
        >>> model = covary.KernelSearchRegressor(max_evaluations=4, restarts=2, quiet=True)
        >>> next_months = model.fit(X, range(24)).forecast(3, levels=[80])
        >>> list(next_months.columns)
        ['mean', 'median', 'sd', 'lower_80', 'upper_80']
        >>> next_months.index[-1]
        Timestamp('2023-03-01 00:00:00')
        """
        check_is_fitted(self)
        if horizon < 1:
            raise ValueError(f"horizon must be 1 or more, not {horizon}")
        found = self.model_.forecast(horizon, [float(level) for level in levels])
        index = _data.index_of(found.times, found.time_type, found.time_name)
        return pd.DataFrame(dict(found.columns), index=index)

    def components(self, X: Any) -> pd.DataFrame:
        """The additive parts of the model at new points.

        Each part has a mean and a standard deviation; the means and that of ``offset`` add up to the
        prediction; of a transformed target (see ``target_transform_``), to its transformed median. The most
        useful parts come first. For an ensemble, those of its best kernel; of more than 4,000 rows, those of
        the same kernel with 4,000 of them, which add up to the prediction only nearly.
        """
        columns = self._columns(X)
        explanation = self._explained()
        parts = explanation.decomposition
        found: dict[tuple[str, str], Any] = {}
        for place, component in enumerate(explanation.order, start=1):
            mean, sd = parts.curve(component, columns)
            label = f"{place}: {parts.kernel(component)}"
            found[label, "mean"], found[label, "sd"] = mean, sd
        found["offset", "mean"] = parts.offset
        index = X.index if isinstance(X, (pd.DataFrame, pd.Series)) else pd.RangeIndex(len(columns[0]))
        frame = pd.DataFrame(found, index=index)
        frame.columns.names = ["component", None]
        return frame

    # ---- In words --------------------------------------------------------------------------------

    def _explained(self) -> _engine.Explanation:
        check_is_fitted(self)
        if not hasattr(self, "_explanation"):
            self._explanation = self.model_.explain()
        return self._explanation

    def explain(self) -> Explanation:
        """The model in English: its parts, how much each explains, and how well it fits."""
        return Explanation(self._explained())

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the report: one HTML page with the model, its parts, its checks and the search.

        Of a model from a file the search is in it if the file lies in the folder of its run, as
        ``covary search`` leaves it; otherwise the page is of the model alone.
        """
        check_is_fitted(self)
        run = self.__dict__.get("_run")
        if hasattr(self, "search_result_"):
            self.search_result_.save_report(self._options, os.fspath(path))
        elif run is not None and os.path.exists(os.path.join(run, "run.sqlite")):
            self.model_.save_report(os.fspath(path), run)
        else:
            self.model_.save_report(os.fspath(path))

    # ---- Files -----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Writes the model as a file that ``covary predict`` and ``load`` open."""
        check_is_fitted(self)
        self.model_.save(os.fspath(path), overwrite)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> KernelSearchRegressor:
        """A fitted estimator from a model file, of this class or of ``covary search``.

        It predicts and explains; of the search that found it nothing is in the file.
        """
        regressor = cls()
        regressor._keep_model(_engine.load_model(os.fspath(path)))
        folder, name = os.path.split(os.path.abspath(path))
        regressor._run = folder if name == "model.json" else None  # as a run leaves it
        names = regressor.model_.data.input_names
        regressor.n_features_in_ = len(names)
        if names != [f"x{i}" for i in range(len(names))]:
            regressor.feature_names_in_ = np.array(names, dtype=object)
        return regressor

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__().copy()
        state.pop("_explanation", None)  # made again when it is asked for
        return state

    # ---- Elsewhere -------------------------------------------------------------------------------

    def _member(self, member: int) -> _engine.FittedModel:
        check_is_fitted(self)
        members = self.model_.members
        if not 0 <= member < len(members):
            raise ValueError(f"there is no member {member}; the model has {len(members)}")
        return members[member]

    def to_sklearn(self, member: int = 0) -> GaussianProcessRegressor | TransformedTarget:
        """The same model as scikit-learn's own regressor, with these parameters.

        Of an ensemble, one member: 0 is its best kernel.
        """
        from .export import to_sklearn

        return to_sklearn(self._member(member))

    def to_gpytorch_code(self, member: int = 0) -> str:
        """Python source that builds the same model with GPyTorch."""
        from .export import to_gpytorch_code

        return to_gpytorch_code(self._member(member))

    def to_gpflow_code(self, member: int = 0) -> str:
        """Python source that builds the same model with GPflow."""
        from .export import to_gpflow_code

        return to_gpflow_code(self._member(member))

    # ---- In a notebook ---------------------------------------------------------------------------

    def _repr_html_(self) -> str:
        from ._display import estimator_html

        if hasattr(self, "model_"):
            return estimator_html(self)
        diagram: str = estimator_html_repr(self)  # scikit-learn's, with the parameters
        return diagram

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    # ---- Pictures --------------------------------------------------------------------------------

    def plot_fit(self, ax: Any = None, **options: Any) -> Any:
        """Data, mean and bands; see :func:`covary.plots.plot_fit`."""
        from .plots import plot_fit

        return plot_fit(self, ax=ax, **options)

    def plot_components(self, axes: Any = None, **options: Any) -> Any:
        """The additive parts, one picture each; see :func:`covary.plots.plot_components`."""
        from .plots import plot_components

        return plot_components(self, axes=axes, **options)

    def plot_history(self, ax: Any = None, **options: Any) -> Any:
        """How the search went; see :func:`covary.plots.plot_history`."""
        from .plots import plot_history

        return plot_history(self, ax=ax, **options)

    def plot_residuals(self, ax: Any = None, **options: Any) -> Any:
        """What the model leaves unexplained; see :func:`covary.plots.plot_residuals`."""
        from .plots import plot_residuals

        return plot_residuals(self, ax=ax, **options)


if KernelSearchRegressor.__doc__ is not None:  # python -OO has none
    KernelSearchRegressor.__doc__ = KernelSearchRegressor.__doc__.replace(
        "{settings}",
        _settings.describe_settings(signature(KernelSearchRegressor).parameters).replace("\n", "\n    "),
    )
