import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def data_folder():
    """The folder of real data: ILK_DATA, or shared/data beside the repository."""
    folder = Path(os.environ.get("ILK_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "datasets.toml").is_file():
        pytest.skip(f"needs real data: there is no {folder}/datasets.toml (set ILK_DATA)")
    return folder
