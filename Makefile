# Everything runs inside .venv, which is made on first use and refreshed when pyproject.toml changes.
# Paths are relative and tools are called as `python -m ...`, so that the directory may have any name.

PYTHON ?= python3

py := .venv/bin/python
pip := $(py) -m pip -qq --disable-pip-version-check
lint_imports := from importlinter.cli import lint_imports_command as lint; lint()
space := $(subst ,, )

# The agents that RunLedger is tried with, outside the repository and at these versions alone.
RUNLEDGER_AGENTS ?= $(HOME)/.cache/runledger/agents
npm_agents := @anthropic-ai/claude-code@2.1.197 @agentclientprotocol/claude-agent-acp@0.49.0 \
	@agentclientprotocol/sdk@1.9.0 opencode-ai@1.18.33
agents_mark := .installed-$(subst $(space),-,$(notdir $(npm_agents)))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test test-agents fuzz browser sandbox golden lint format bench soak clean

# An editable install points at one directory; in a moved or copied one it is made again.
ifneq ($(shell cat .venv/.made-in 2>/dev/null),$(CURDIR))
.PHONY: .venv/.made-in .venv/.installed .venv/.installed-dev
endif

help:
	@echo 'make demo     run the demo suite in replay: no network, no keys, no cost'
	@echo 'make test     run the tests'
	@echo 'make test-agents'
	@echo '              install real agents (npm) in RUNLEDGER_AGENTS and run the tests with them'
	@echo 'make fuzz     try every property of tests/fuzz for 10 minutes in all; MINUTES=30 for 30'
	@echo 'make browser  install the Chromium that the report is tested in (Debian, as root)'
	@echo 'make sandbox  install the bubblewrap that agents are shut in with (Debian, as root)'
	@echo 'make golden   write the golden files anew; look at the difference before you commit'
	@echo 'make lint     check format, lint, types and imports'
	@echo 'make format   format the code and mend what ruff can mend'
	@echo 'make bench    run every benchmark'
	@echo 'make soak     bring loads and random faults for MINUTES=10; SEED= and ROUND= play one again'
	@echo 'make clean    remove the environment, caches, builds and demo runs'
	@echo
	@echo 'Another interpreter, 3.11 or newer: make demo PYTHON=python3.12'

demo: .venv/.installed
	@$(py) -m runledger run examples/evals/demo --mode replay --output-dir .agentci/runs

test: .venv/.installed-dev
	@$(py) -m pytest -q -n auto

test-agents: .venv/.installed-dev
	@mkdir -p "$(RUNLEDGER_AGENTS)" && cd "$(RUNLEDGER_AGENTS)" && { [ -f "$(agents_mark)" ] || { \
		npm install --prefix . --no-audit --no-fund --loglevel=error $(npm_agents) >/dev/null && \
		touch "$(agents_mark)"; }; }
	@RUNLEDGER_AGENTS="$(RUNLEDGER_AGENTS)" $(py) -m pytest -q -n 2 --dist loadscope --timeout 450 tests_real

# Where there is no wheel of atheris, inputs are drawn at random.
fuzz: .venv/.installed-dev
	@$(pip) install --only-binary :all: atheris==3.0.0 2>/dev/null || true
	@$(py) tests/fuzz/campaign.py --minutes $(or $(MINUTES),10)

browser:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || { apt-get -qq update && \
		DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends chromium >/dev/null; }

sandbox:
	@command -v bwrap >/dev/null || { apt-get -qq update && \
		DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends bubblewrap >/dev/null; }

golden: .venv/.installed-dev
	@RUNLEDGER_GOLDEN=write $(py) -m pytest -q tests/golden

lint: .venv/.installed-dev
	@$(py) -m ruff format --check .
	@$(py) -m ruff check .
	@$(py) -m mypy
	@$(py) -c '$(lint_imports)'

format: .venv/.installed-dev
	@$(py) -m ruff check --fix-only .
	@$(py) -m ruff format .

bench: .venv/.installed-dev
	@for file in benchmarks/*.py; do \
		[ -f "$$file" ] || { echo 'benchmarks/ holds no benchmark'; break; }; \
		echo "$$file"; $(py) "$$file" || exit 1; \
	done

soak: .venv/.installed-dev
	@PYTHONPATH=tests $(py) -m benchmarks.soak "$(MINUTES)" "$(SEED)" "$(ROUND)"

clean:
	@rm -rf .venv build dist .agentci/runs/demo
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/.made-in:
	@"$(PYTHON)" -c 'import sys; sys.version_info >= (3, 11) or sys.exit("RunLedger needs Python 3.11 or newer; $(PYTHON) is %d.%d. Choose another: make PYTHON=python3.12" % sys.version_info[:2])'
	@"$(PYTHON)" -m venv .venv
	@printf '%s\n' "$(CURDIR)" > $@

.venv/.installed: pyproject.toml | .venv/.made-in
	@$(pip) install -e .
	@touch $@

.venv/.installed-dev: pyproject.toml | .venv/.made-in
	@$(pip) install -e '.[dev]'
	@touch .venv/.installed $@
