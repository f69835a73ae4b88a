"""Ctrl-C is answered in the middle of any long call, and the exception is that of the signal's own handler."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import covary

ROWS = 6000


class Ended(Exception):
    pass


@pytest.fixture(scope="module")
def data():
    x = np.linspace(0.0, 1.0, ROWS)
    return covary.make_dataset(x[:, None], np.sin(9 * x))


def seconds_to_the_end(work, number):
    """How long `work` goes on after the signal."""
    asked = []

    def ask():
        time.sleep(0.3)
        asked.append(time.process_time())
        os.kill(os.getpid(), number)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt if number == signal.SIGINT else Ended):
            for _ in range(1000):
                work()
    finally:
        thread.join()
    return time.process_time() - asked[0]


def model_of(data):
    return covary.FittedModel(covary.Expression("SE"), [1.0, 0.1, 0.01], data)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGALRM])
def test_conditioning_a_model_ends(data, number):
    def end(_number, _frame):
        raise Ended

    before = signal.signal(signal.SIGALRM, end)
    try:
        assert seconds_to_the_end(lambda: model_of(data), number) < 4.0
    finally:
        signal.signal(signal.SIGALRM, before)


def test_predictions_and_draws_end(data):
    model = model_of(data)
    points = [np.linspace(0.0, 1.0, 3000)]
    assert seconds_to_the_end(lambda: model.predict(points), signal.SIGINT) < 4.0
    assert seconds_to_the_end(lambda: model.explain(), signal.SIGINT) < 4.0
