# Everything runs in .venv, made on first use. PYTHON=python3.12 make demo uses another interpreter.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
DEMO_OUT ?= demo-output
PAPER_OUT ?= paper-output
PAPER_ARGS ?=
PYTEST_ARGS ?=
TRUST_ARGS ?=
# Tests start many commands: they keep their bytecode, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help demo paper test full-test coverage package oldest newest mlflow torch check docs trust format audit clean

help: ## show these targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  \1\t\2/' | expand -t 14

demo: $(VENV)/.installed-cli ## two hospitals from tables to report, in demo-output/
	@$(BIN)/steadycut demo --out $(DEMO_OUT)

# camelyon and mimic-ecg need data: paper/rerun.md has their commands.
PAPER_NAMES := figure-1 figure-2 figure-s1 table

paper: $(VENV)/.installed-paper ## the paper's figures and tables, in paper-output/ (PAPER_ARGS='--replicates 200': as on its page)
	@for name in $(PAPER_NAMES); do $(BIN)/python -m paper $$name --force --out $(PAPER_OUT) $(PAPER_ARGS) || exit 1; done

test: $(VENV)/.installed-test ## the tests and the examples in docstrings, without the slow ones
	@$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not slow" $(PYTEST_ARGS)

full-test: $(VENV)/.installed-test ## all tests, the slow ones as well
	@$(BIN)/python -m pytest -n 2 --dist loadgroup $(PYTEST_ARGS)

coverage: $(VENV)/.installed-test ## the tests, and whether they reach every line and branch of core
	@$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not slow" --cov=src/steadycut --cov-branch --cov-report=json:.coverage.json --cov-report=term-missing $(PYTEST_ARGS)
	@$(BIN)/python scripts/check_coverage.py .coverage.json

package: $(VENV)/.created ## the wheel and the sdist, tried outside the repository: each light extra, every Python here
	@$(BIN)/python scripts/try_package.py

oldest: $(VENV)-oldest/.installed ## tests with the oldest versions of all packages; Python 3.11 or 3.12
	@$(VENV)-oldest/bin/python -m pytest $(VERSION_ARGS) $(VERSION_TESTS)

newest: $(VENV)-newest/.installed ## the same tests with the newest versions of all packages
	@$(VENV)-newest/bin/python -m pytest $(VERSION_ARGS) $(VERSION_TESTS)

mlflow: $(VENV)-mlflow/.installed ## the MLflow recipe, in an environment without steadycut
	@$(VENV)-mlflow/bin/python -m pytest -q -o filterwarnings=default tests/docs/test_mlflow.py

torch: $(VENV)-torch/.installed ## the tests of PyTorch models, in an environment with PyTorch
	@$(VENV)-torch/bin/python -m pytest -q -o filterwarnings=default tests/pipelines/models

check: $(VENV)/.installed-dev ## format, lint, types, the import wall, the counts of the house, the words and the numbers of README and docs
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/python scripts/check_imports.py
	@$(BIN)/python scripts/count_house.py
	@$(BIN)/python scripts/count_crossings.py
	@$(BIN)/python scripts/check_words.py
	@$(BIN)/python scripts/count_pages.py
	@$(BIN)/python scripts/write_figures.py --check

docs: $(VENV)/.installed-docs ## the site in docs/_build/html, offline; a warning or a dead link is an error
	@$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -d docs/_build/doctrees docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

trust: $(VENV)/.installed-test ## everything that is done to break steadycut, counted; hours (TRUST_ARGS=--quick: minutes)
	@$(BIN)/python -m benchmarks.trust.run $(TRUST_ARGS)

format: $(VENV)/.installed-dev ## rewrite the code in the one format
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

audit: $(VENV)/.installed-audit ## known weaknesses of the pinned packages; needs the network
	@$(BIN)/python scripts/audit_pins.py

clean: ## remove .venv, caches and what the demo and the paper wrote
	@rm -rf $(VENV) $(VENV)-oldest $(VENV)-newest $(VENV)-mlflow $(VENV)-torch demo-output paper-output docs/_build docs/api docs/examples build dist .coverage .coverage.json htmlcov .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find src paper tests scripts -type d -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "steadycut needs Python 3.11 or later; $(PYTHON) is missing or older. Try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "$(PYTHON) cannot make virtual environments. On Debian or Ubuntu: sudo apt-get install python3-venv" >&2; exit 1; }
	@echo "Making $(VENV) with $$($(PYTHON) --version)"
	@rm -rf $(VENV) && $(PYTHON) -m venv $(VENV)
	@$(PIP) install --upgrade 'pip>=25.1' # older ones know no dependency groups
	@touch $@

# Each set holds the one before it, so a larger install stands for the smaller ones too.
INSTALL_NEEDS := pyproject.toml constraints.txt | $(VENV)/.created

$(VENV)/.installed-cli: $(INSTALL_NEEDS)
	@echo "Installing steadycut and what its command line needs into $(VENV)"
	@$(PIP) install -c constraints.txt -e '.[cli]'
	@touch $@

$(VENV)/.installed-paper: $(INSTALL_NEEDS)
	@echo "Installing steadycut and what the paper's figures need into $(VENV)"
	@$(PIP) install -c constraints.txt -e '.[cli,plot,sklearn]'
	@touch $(VENV)/.installed-cli $@

$(VENV)/.installed-test: $(INSTALL_NEEDS)
	@echo "Installing steadycut and what its tests need into $(VENV)"
	@$(PIP) install -c constraints.txt -e . --group test
	@touch $(VENV)/.installed-cli $(VENV)/.installed-paper $@

$(VENV)/.installed-dev: $(INSTALL_NEEDS)
	@echo "Installing steadycut and what its checks need into $(VENV)"
	@$(PIP) install -c constraints.txt -e . --group dev
	@touch $(VENV)/.installed-cli $(VENV)/.installed-paper $(VENV)/.installed-test $@

$(VENV)/.installed-audit: $(INSTALL_NEEDS)
	@$(PIP) install -c constraints.txt -e . --group audit
	@touch $@

$(VENV)/.installed-docs: $(INSTALL_NEEDS)
	@echo "Installing steadycut and what its site needs into $(VENV)"
	@$(PIP) install -c constraints.txt -e . --group docs
	@touch $(VENV)/.installed-cli $@

# What the oldest and the newest versions are tested with: files that use each package. Warnings of
# other versions are not errors.
VERSION_ARGS := -n 2 --dist loadgroup -m "not slow" -o filterwarnings=default
VERSION_TESTS ?= tests/test_golden.py tests/documents tests/io tests/ingest/test_sources.py tests/ingest/sources \
	tests/cli/test_commands.py tests/cli/test_rules.py tests/cli/test_plan.py tests/cli/test_sign.py tests/cli/test_report.py tests/cli/test_lazy_commands.py \
	tests/show/figures/test_displays.py tests/app/test_serve.py tests/estimators/test_deployed.py tests/estimators/test_threads.py
# Old versions of starlette are tested through httpx, new ones through httpx2.
VERSION_TOOLS := pytest pytest-xdist hypothesis jsonschema pandas polars httpx httpx2

$(VENV)-oldest/.installed: pyproject.toml constraints-oldest.txt $(VENV)/.created
	@echo "Installing the oldest versions into $(VENV)-oldest"
	@rm -rf $(VENV)-oldest && $(PYTHON) -m venv $(VENV)-oldest
	@$(VENV)-oldest/bin/python -m pip --quiet --disable-pip-version-check install -c constraints-oldest.txt -e '.[all,anndata]' $(VERSION_TOOLS)
	@touch $@

$(VENV)-newest/.installed: pyproject.toml $(VENV)/.created
	@echo "Installing the newest versions into $(VENV)-newest"
	@rm -rf $(VENV)-newest && $(PYTHON) -m venv $(VENV)-newest
	@$(VENV)-newest/bin/python -m pip --quiet --disable-pip-version-check install -e '.[all,anndata]' $(VERSION_TOOLS)
	@touch $@

$(VENV)-mlflow/.installed: Makefile $(VENV)/.created
	@echo "Installing MLflow into $(VENV)-mlflow"
	@rm -rf $(VENV)-mlflow && $(PYTHON) -m venv $(VENV)-mlflow
	@$(VENV)-mlflow/bin/python -m pip --quiet --disable-pip-version-check install mlflow-skinny==3.17.2 pandas pytest hypothesis
	@touch $@

$(VENV)-torch/.installed: pyproject.toml constraints.txt $(VENV)/.created
	@echo "Installing PyTorch into $(VENV)-torch"
	@rm -rf $(VENV)-torch && $(PYTHON) -m venv $(VENV)-torch
	@$(VENV)-torch/bin/python -m pip --quiet --disable-pip-version-check install -c constraints.txt torch==2.13.0 safetensors -e '.[cli,arrow,pathology,ecg]' onnx pytest hypothesis
	@touch $@
