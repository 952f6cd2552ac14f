#!/usr/bin/env python3
"""Asks a running service worked cases and prints those whose rows are not as they should be.

usage: cases.py URL TOKEN FILE_OR_FOLDER

Each line of a file is a case in JSON: `id`, `apl`, `columns` and `expect`, and how rows are compared: `ordered`,
`set`, `tol`, `null_eq_empty`, `ignore_names`. In place of columns and rows may stand `error`, part of what is said
about a query that is refused. Cases with `files` are left out: a service does not get files from here. The rules are those of crates/engine/tests/it/case_file.rs.
"""

import glob
import json
import os
import sys
import time
import urllib.error
import urllib.request

# A service that is asked too much at once says so; then it is asked again.
ATTEMPTS = 240


def ask(url, token, apl):
    request = urllib.request.Request(
        url.rstrip("/") + "/v1/query/_apl?format=tabular",
        data=json.dumps({"apl": apl}).encode(),
        headers={"Authorization": "Bearer " + token, "Content-Type": "application/json"},
        method="POST",
    )
    for _ in range(ATTEMPTS):
        try:
            with urllib.request.urlopen(request, timeout=120) as response:
                return json.load(response), None
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            if error.code != 429:
                return None, f"{error.code} {said(text)}"
            time.sleep(0.5)
    return None, "the service is asked too much at once"


def said(text):
    """What an answer that refuses something says to people."""
    try:
        body = json.loads(text)
        detail = body.get("detail") or ""
        detail = detail.get("message", "") if isinstance(detail, dict) else detail
        return body.get("message", text) + "\n" + detail
    except ValueError:
        return text


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_equal(found, wanted, case):
    if is_number(found) and is_number(wanted):
        # Those of 64 bits differ by less than floats can tell.
        if isinstance(found, int) and isinstance(wanted, int) and not case.get("tol"):
            return found == wanted
        tolerance = max(case.get("tol") or 0.0, 1e-9)
        return abs(found - wanted) <= tolerance * max(abs(wanted), 1.0)
    if found is None and wanted == "NaN":
        return True
    if isinstance(found, list) and isinstance(wanted, list):
        if len(found) != len(wanted):
            return False
        if case.get("set"):
            return all(any(is_equal(one, other, case) for one in found) for other in wanted)
        return all(is_equal(one, other, case) for one, other in zip(found, wanted))
    if isinstance(found, dict) and isinstance(wanted, dict):
        same = all(key in found and is_equal(found[key], value, case) for key, value in wanted.items())
        return len(found) == len(wanted) and same
    if type(found) is type(wanted) and found == wanted:
        return True
    return bool(case.get("null_eq_empty")) and found in (None, "") and wanted in (None, "")


def is_same(found, wanted, case):
    if len(found) != len(wanted):
        return False
    if case.get("ordered"):
        return all(is_equal(one, other, case) for one, other in zip(found, wanted))
    rest = list(wanted)
    for row in found:
        place = next((place for place, other in enumerate(rest) if is_equal(row, other, case)), None)
        if place is None:
            return False
        rest.pop(place)
    return True


def check(url, token, case):
    """What is wrong with the answer to a case, or nothing."""
    answer, problem = ask(url, token, case["apl"])
    if "error" in case:
        return None if problem and case["error"] in problem else f"is not refused with {case['error']!r}: {problem}"
    if problem:
        return problem
    table = answer["tables"][0]
    names = [field["name"] for field in table["fields"]]
    if not case.get("ignore_names") and names != case["columns"]:
        return f"columns {names}, not {case['columns']}"
    rows = [list(row) for row in zip(*table["columns"])]
    if not is_same(rows, case["expect"], case):
        return f"found {json.dumps(rows)}\n  not   {json.dumps(case['expect'])}"
    return None


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    url, token, path = sys.argv[1:]
    paths = [path]
    if os.path.isdir(path):
        paths = sorted(glob.glob(os.path.join(path, "**", "*.jsonl"), recursive=True))
    cases = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            cases += [json.loads(line) for line in file if line.strip()]
    cases = [case for case in cases if "files" not in case]
    failed = 0
    for case in cases:
        problem = check(url, token, case)
        if problem:
            failed += 1
            print(f"{case['id']}: {case['apl']}\n  {problem}")
    print(f"{len(cases) - failed} of {len(cases)} cases are as they should be")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
