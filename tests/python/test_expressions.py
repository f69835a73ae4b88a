"""The lower level: expressions, single evaluations, distances, neighbours, stepped searches."""

import json
import math
import os
import pickle
import subprocess

import numpy as np
import pytest

import covary
from covary import Expression

covary_program = os.environ.get("COVARY_PROGRAM")


@pytest.fixture(scope="module")
def data():
    x = np.linspace(0, 4, 50)
    return covary.make_dataset(x[:, None], 0.5 * x + np.sin(5 * x))


def test_expressions_are_values():
    a, b = Expression("LIN + SE*PER"), Expression("SE*PER + LIN")
    assert a != b and a.same_tree(b) and a.same_polynomial(b)
    assert a == Expression("LIN + SE*PER") and hash(a) == hash(Expression("LIN + SE*PER"))
    assert Expression("LIN") + Expression("SE") * Expression("PER") == a
    assert (a.left.name, a.left.column, a.name, a.column) == ("LIN", 0, "ADD", None)
    assert a != "LIN + SE*PER" and len({a, b, a}) == 2
    assert not Expression("SE*(LIN + PER)").same_tree(Expression("SE*LIN + SE*PER"))
    assert Expression("C + LIN*(SE*SE)").shortest_form() == Expression("LIN*SE + C")
    assert Expression("PER + SE*SE").same_family(Expression("SE + WN + PER"))
    assert not Expression("SE").same_family(Expression("SE + SE"))
    assert Expression("SE*(LIN + PER)").same_polynomial(Expression("SE*LIN + SE*PER"))


def test_expressions_travel_with_their_names():
    for kernel in (Expression("SE_2 + LIN_1", 3), Expression("SE(`a, b`)*LIN(c)", ["a, b", "c"])):
        again = pickle.loads(pickle.dumps(kernel))
        assert again == kernel and str(again) == str(kernel) and again.inputs == kernel.inputs


@pytest.mark.parametrize(
    "text, inputs, sentence",
    [("SE +", 1, "column 5"), ("SE(z)", ["x"], "z"), ("FOO", 1, "FOO"), ("SE_3", 2, "numbered from 1 to 2")],
)
def test_a_wrong_expression_is_named(text, inputs, sentence):
    with pytest.raises(ValueError, match=sentence):
        Expression(text, inputs)


def test_different_inputs_do_not_mix():
    with pytest.raises(ValueError, match="different inputs"):
        Expression("SE", ["a"]) + Expression("SE", ["b"])
    with pytest.raises(ValueError, match="no left side"):
        Expression("SE").left


def test_distances_are_the_command_lines():
    expected = covary.distance("SE + LIN*PER", "SE*RQ + PER")
    assert expected == covary.distance(Expression("SE*RQ + PER"), Expression("SE + LIN*PER"))
    assert covary.distance("SE", "SE") == (0.0, 0.0, 0.0)
    if covary_program:
        printed = subprocess.run(
            [covary_program, "distance", "SE + LIN*PER", "SE*RQ + PER", "--json"],
            capture_output=True,
            check=True,
        ).stdout
        assert json.loads(printed) == expected._asdict()


def test_neighbours_are_one_step_away():
    kernel = Expression("SE + LIN")
    # m (r - 1) + (2m - 1) r c: two leaves, four base kernels, two operators.
    assert len(covary.neighbours(kernel)) == 2 * 3 + 3 * 4 * 2
    assert len(covary.neighbours(kernel, space="SE,LIN", operators="+", max_leaves=2)) == 2
    walk = covary.random_walk(kernel, 5, seed=3)
    for before, after in zip([kernel, *walk], walk):
        assert after in covary.neighbours(before)


def test_an_evaluation_is_the_command_lines(data):
    found = covary.evaluate(data, "LIN + PER", restarts=4, seed=2)
    assert found.outcome == "converged" and math.isfinite(found.value)
    assert len(found.parameters) == Expression("LIN + PER").num_parameters + 1
    again = pickle.loads(pickle.dumps(found))
    assert again.value == found.value and again.parameters == found.parameters
    model = covary.fitted_model(data, "LIN + PER", found)
    assert model.log_marginal_likelihood == pytest.approx(found.log_marginal_likelihood, rel=1e-9)
    bic = covary.evaluate(data, "LIN + PER", criterion="bic", restarts=4)
    expected = bic.log_marginal_likelihood - 0.5 * len(bic.parameters) * math.log(data.num_rows)
    assert bic.value == pytest.approx(expected)
    with pytest.raises(ValueError, match="no setting restart "):
        covary.evaluate(data, "SE", restart=3)


def test_what_is_no_choice_is_refused(data, tmp_path):
    (tmp_path / "data.csv").write_text("x,y\n1,2\n2,3\n4,5\n")
    with pytest.raises(ValueError, match=r"missing must be one of reject\|drop"):
        covary.read_csv(tmp_path / "data.csv", target="y", missing="guess")
    with pytest.raises(ValueError, match=r"mean must be one of zero\|constant"):
        covary.fitted_model(data, "LIN", covary.evaluate(data, "LIN", restarts=1), mean="median")


def test_data_travel(data):
    again = pickle.loads(pickle.dumps(data.rows([3, 1, 4])))
    assert again.num_rows == 3 and again.fingerprint == data.fingerprint
    np.testing.assert_allclose(again.target, data.target[[3, 1, 4]])
    with pytest.raises(ValueError, match="no row 50"):
        data.rows([50])


def test_a_stepped_search_is_the_search(data):
    settings = dict(max_evaluations=14, restarts=3, finalists=2, deterministic=True)
    search = covary.Search(data, random_state=4, **settings)
    while (task := search.ask()) is not None:
        search.tell(task, search.evaluate(task))
    result = search.result()
    X = np.linspace(0, 4, 50)[:, None]
    whole = covary.KernelSearchRegressor(**settings, random_state=4, quiet=True)
    whole.fit(X, 0.5 * X.ravel() + np.sin(5 * X.ravel()))
    assert list(search.history.kernel) == list(whole.history_.kernel)
    assert (result.kernel, result.value) == (whole.kernel_, whole.value_)


def test_a_search_by_a_measure_of_ones_own_finds_what_it_asks_for():
    """No data at all: the best kernel is the one nearest to a hidden one."""
    search = covary.Search(["x"], max_evaluations=60)
    while (task := search.ask()) is not None:
        search.tell(task, -sum(covary.distance(task.kernel, "LIN*SE + PER")))
    kernel, value = search.best
    assert value > -0.2
    assert len(search.history) == 60 and search.is_done
    with pytest.raises(ValueError, match="values of one's own"):
        search.result()


def test_kernels_without_a_value_are_passed_by(data):
    search = covary.Search(data, max_evaluations=20)
    while (task := search.ask()) is not None:
        if "PER" in str(task.kernel):
            search.fail(task, "no period, please")
        else:
            search.tell(task, float(task.kernel.num_leaves))
    assert "PER" not in str(search.best[0])
    failed = search.history[search.history.kernel.str.contains("PER")]
    assert len(failed) > 0 and failed.value.isna().all()
    assert set(failed.outcome) == {"failed"} and set(failed.message) == {"no period, please"}
    assert "failed" not in set(search.history.outcome[search.history.value.notna()])


def test_a_search_with_a_failed_kernel_still_ends_with_a_model(data, tmp_path):
    search = covary.Search(data, max_evaluations=6, restarts=2, finalists=1, out=str(tmp_path / "run"))
    search.fail(search.ask())
    while (task := search.ask()) is not None:
        search.tell(task, search.evaluate(task))
    result = search.result()
    assert result.failed_evaluations == 1 and math.isfinite(result.value)


def test_a_stepped_search_refuses_what_is_no_result(data, tmp_path):
    search = covary.Search(data, max_evaluations=5)
    task = search.ask()
    with pytest.raises(ValueError, match="finite"):
        search.tell(task, math.nan)
    with pytest.raises(TypeError, match=r"fail\(task"):
        search.tell(task, None)
    with pytest.raises(ValueError, match="'good'"):
        search.tell(task, "good")
    search.tell(task, 1.0)
    with pytest.raises(ValueError, match="no kernel with the number 0 is under way"):
        search.tell(task, 1.0)
    kept = covary.Search(data, max_evaluations=5, out=str(tmp_path / "run"))
    with pytest.raises(ValueError, match="cannot be kept"):
        kept.tell(kept.ask(), 1.0)
    with pytest.raises(ValueError, match="no setting colour"):
        covary.Search(data, colour="red")
