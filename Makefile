# Every target sets up what it needs inside the checkout; a second run is quick.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
COMPARE := .venv-compare
RIVALS := .venv-rivals
NEEDS   := src/halfmask_reproduction/rivals/apart
# The extension is built anew when the sources it is made of change.
SOURCES := pyproject.toml CMakeLists.txt $(filter-out native/fuzz/%,$(wildcard native/*/*.hpp native/*/*.cpp))

.DEFAULT_GOAL := help
.PHONY: help compare rivals demo test lint docs dist bench fuzz sanitize clean check-tools

help:  ## say what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

check-tools:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "halfmask needs Python 3.11 or newer as '$(PYTHON)'; install it, or say which: make PYTHON=python3.12 …" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
	  { echo "halfmask needs Python's venv module; install it (Debian: apt install python3-venv)." >&2; exit 1; }
	@command -v $${CXX:-c++} >/dev/null 2>&1 || command -v g++ >/dev/null 2>&1 || command -v clang++ >/dev/null 2>&1 || \
	  { echo "halfmask needs a C++20 compiler; install one (Debian: apt install g++)." >&2; exit 1; }

$(BIN)/python: | check-tools
	$(PYTHON) -m venv $(VENV)

# Build tools live in the environment, so that the extension is rebuilt in seconds, not minutes.
$(VENV)/tools.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "scikit-build-core>=1.0" "nanobind>=3.1" "cmake>=3.18" ninja
	@touch $@

$(VENV)/package.stamp: $(VENV)/tools.stamp $(SOURCES)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable .
	@touch $@

$(VENV)/test.stamp: $(VENV)/package.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group test
	@touch $@

$(VENV)/lint.stamp: $(VENV)/package.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group lint
	@touch $@

# Programs that the tests compare with pin old versions of what halfmask is tested with, and so live
# apart. Without an index, or without wheels for this Python, their tests say that they were skipped.
compare: $(COMPARE)/compare.stamp  ## the environment of the programs that the tests compare with
$(COMPARE)/compare.stamp: pyproject.toml | check-tools
	@{ $(PYTHON) -m venv $(COMPARE) && \
	  $(COMPARE)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1" && \
	  $(COMPARE)/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: --group compare && \
	  touch $@; } || echo "The programs to compare with could not be installed; their tests are skipped." >&2

# What the generator is compared with in docs/reproduction/rivals.md: about two gigabytes.
# Tests that need more than is there say that they were skipped. What cannot be installed is left
# out, and the page says so.
rivals: $(patsubst $(NEEDS)/%.txt,$(RIVALS)/%/rival.stamp,$(wildcard $(NEEDS)/*.txt))  ## the environments of the packages that the generator is compared with
$(RIVALS)/%/rival.stamp: $(NEEDS)/%.txt | check-tools
	@{ $(PYTHON) -m venv --clear $(RIVALS)/$* && \
	  $(RIVALS)/$*/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: -r $< && \
	  touch $@; } || { rm -rf $(RIVALS)/$*; echo "$* could not be installed; the comparison leaves it out." >&2; }

demo: $(VENV)/package.stamp  ## publish the hospital table that the package makes itself
	$(BIN)/halfmask demo --force

test: $(VENV)/test.stamp $(COMPARE)/compare.stamp  ## run every test, doctest and documented command
	$(BIN)/python -m pytest -n auto --dist loadgroup $(ARGS)

lint: $(VENV)/lint.stamp  ## style, types and formats of Python and C++
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror native/*/*.hpp native/*/*.cpp

$(VENV)/docs.stamp: $(VENV)/test.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group docs
	@touch $@

# Every warning is an error: a link that leads nowhere, a page that no other leads to, a cell that fails.
docs: $(VENV)/docs.stamp  ## the documentation site, in build/site
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -b html docs build/site $(ARGS)

# A competitor that cannot be installed is left out; its benchmark then says so.
$(VENV)/bench.stamp: $(VENV)/package.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group bench || \
	  echo "The packages that halfmask is compared with could not be installed; it is timed alone." >&2
	@touch $@

bench: $(VENV)/bench.stamp  ## time everything that is quick; FULL=1 for all of it
	$(BIN)/python benchmarks/run.py $(if $(FULL),--full) $(ARGS)

SECONDS ?= 60
fuzz: $(VENV)/package.stamp  ## random databases to kernels and references for SECONDS=60
	$(BIN)/python benchmarks/fuzz.py --seconds $(SECONDS) $(ARGS)

# Threads are watched in a build of their own: the sanitizers for memory and for threads exclude each
# other. Databases of the second are fewer, because it is several times as slow.
sanitize: $(VENV)/tools.stamp  ## the kernels under address, undefined-behaviour and thread sanitizers
	$(call sanitized,address,address$(,)undefined)
	$(call sanitized,thread,thread)
	build/sanitize-address/fuzz_kernels $(ARGS)
	TSAN_OPTIONS=halt_on_error=1 build/sanitize-thread/fuzz_kernels $(or $(ARGS),60)

, := ,
define sanitized
	$(BIN)/cmake -S . -B build/sanitize-$(1) -G Ninja -DHALFMASK_SANITIZE=$(2) \
	  -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja >/dev/null
	$(BIN)/cmake --build build/sanitize-$(1)
endef

# Nothing of the checkout is on the path of the last three lines: what was left out of the archive or
# of the wheel is missed there.
DIST := build/dist
dist: $(VENV)/tools.stamp  ## the source archive, a wheel built from it, and a publication in a clean environment
	rm -rf $(DIST)
	$(BIN)/python -c "from scikit_build_core.build import build_sdist; build_sdist('$(DIST)')"
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps \
	  --wheel-dir $(DIST) $(DIST)/halfmask-*.tar.gz
	$(PYTHON) -m venv --clear $(DIST)/clean
	$(DIST)/clean/bin/python -m pip install --quiet --disable-pip-version-check $(DIST)/halfmask-*.whl
	cd $(DIST) && clean/bin/halfmask doctor
	cd $(DIST) && clean/bin/halfmask demo --rows 500 --output demo --quiet
	test -s $(DIST)/demo/admissions.report.html

clean:  ## remove everything that was built
	rm -rf $(VENV) $(COMPARE) $(RIVALS) build dist demo-output
