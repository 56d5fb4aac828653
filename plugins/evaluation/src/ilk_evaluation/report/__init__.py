"""The report: the results of an experiment as one self-contained page."""

from ilk_evaluation.report.page import html_report, write_report

__all__ = ["html_report", "write_report"]
