"""A kernel for the airline series, in ten lines: `python examples/python/fit.py airline.csv airline.png`."""

import sys

import pandas as pd

from covary import KernelSearchRegressor

airline = pd.read_csv(sys.argv[1])
model = KernelSearchRegressor(max_evaluations=25, max_leaves=6, random_state=1)
model.fit(airline[["Month"]], airline["Passengers"])
print(model.kernel_, f"log evidence {model.log_evidence_:.2f}")
print(model.explain().summary)
model.plot_fit().figure.savefig(sys.argv[2])
