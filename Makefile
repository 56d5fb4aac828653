# The commands of CONTRIBUTING.md; each is one line, so that systems without make can type it.
.DEFAULT_GOAL := help
.PHONY: help setup test system exhaustive all format lint types spelling docs site serve bench ci release

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

setup: ## install the members in editable form, with what developers need
	pip install '.[dev,docs]'
	pip install --no-deps -e core -e plugins/distances -e plugins/ensembles -e plugins/evaluation -e plugins/learners

test: ## the default tier, within three minutes
	pytest

system: ## after a change to stores, executors, commands or the installation
	pytest -m system

exhaustive: ## before you send a change: long tests of the parts that git says it touches
	pytest -m exhaustive --changed

all: ## every test, with new random examples
	pytest --all

format: ## lay out the code
	ruff format .

lint: ## layout and rules of the code
	ruff format --check .
	ruff check .

types: ## types
	mypy

spelling: ## spelling of code and texts
	codespell

docs: ## the site, warnings as errors; with a sample of the gallery and of the figures
	sphinx-build -W --keep-going docs docs/_build

site: ## the site for readers, with the whole gallery and all figures
	ILK_GALLERY=all sphinx-build -W --keep-going docs docs/_build

serve: ## show the site at http://localhost:8000
	python -m http.server --directory docs/_build

bench: ## times beside other libraries, written to the docs; up to an hour
	python -m benchmarks --table docs/benchmarks.md

ci: ## what CI runs, in a fresh environment
	.ci/run

release: ## what a release needs: versions, changelog, wheels, sdists, the README from the wheels
	python tools/release_check.py
