"""The report: what an experiment found, as one page that needs nothing else."""

from ilk_evaluation.report.page import html_report, write_report

__all__ = ["html_report", "write_report"]
