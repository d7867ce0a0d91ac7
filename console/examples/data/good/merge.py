"""Merges the price lists in input/ into merged.csv, and writes what was dropped, with the reason, to dropped.csv."""

import csv
from pathlib import Path

REQUIRED_COLUMNS = ["sku", "name", "price_eur"]


def read_input(folder: Path) -> list[dict]:
    """The script reads every row of the input, with its file and line, so that each is accounted for."""
    rows = []
    for path in sorted(folder.glob("*.csv")):
        with path.open(newline="") as file:
            for line, row in enumerate(csv.DictReader(file), start=2):
                rows.append({**row, "source": f"{path.name}:{line}"})
    return rows


def merge(input_rows: list[dict]) -> tuple[dict, list]:
    unique_rows, dropped_rows = {}, []
    for row in sorted(input_rows, key=lambda row: row["date"]):
        earlier = unique_rows.get(row["sku"])
        if row["price"] == "":
            dropped_rows.append((row, "has no price"))
            continue
        if earlier is not None:
            dropped_rows.append((earlier, f"{row['source']} has a later date"))
        unique_rows[row["sku"]] = row
    # Each row of the input is in the result or in the list of dropped rows.
    assert len(unique_rows) + len(dropped_rows) == len(input_rows), "every row of the input is accounted for"
    return unique_rows, dropped_rows


def write_result(path: Path, unique_rows: dict) -> None:
    """The script writes the result with the required columns, each row once."""
    with path.open("w", newline="") as file:
        result = csv.writer(file, lineterminator="\n")
        result.writerow(REQUIRED_COLUMNS)
        for sku, row in sorted(unique_rows.items()):
            result.writerow([sku, row["name"], row["price"]])


def write_dropped(path: Path, dropped_rows: list) -> None:
    with path.open("w", newline="") as file:
        entries = csv.writer(file, lineterminator="\n")
        entries.writerow(["source", "sku", "price", "reason"])
        for row, reason in dropped_rows:
            entries.writerow([row["source"], row["sku"], row["price"], reason])


if __name__ == "__main__":
    unique_rows, dropped_rows = merge(read_input(Path("input")))
    write_result(Path("merged.csv"), unique_rows)
    write_dropped(Path("dropped.csv"), dropped_rows)
