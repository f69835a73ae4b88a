"""What scikit-learn asks of every estimator."""

import pytest
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from covary import KernelSearchRegressor

# Small searches: the checks fit some hundred times, and ask for manners, not for quality.
# One wants a score on the rows of the fit, which one input reaches by learning them by heart: the paper's prior
# of the noise lets it.
quick = dict(max_evaluations=4, restarts=2, finalists=1, threads=1, priors="paper")


@parametrize_with_checks(
    [
        KernelSearchRegressor(**quick),
        KernelSearchRegressor(**quick, ensemble=2, criterion="bic", space="SE,LIN", deterministic=True),
    ]
)
def test_estimator_check(estimator, check):
    check(estimator)


@pytest.mark.slow
def test_every_check_passes_with_the_settings_that_users_get():
    check_estimator(KernelSearchRegressor(quiet=True))
