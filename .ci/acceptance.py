#!/usr/bin/env python3
"""Reads the results of the UCI acceptance checks and fails when fewer "must" checks pass than the project has reached.

    acceptance.py RESULTS.json
"""
import json
import sys

REACHED = 81

results = [r for r in json.load(open(sys.argv[1]))["results"] if r["cls"] == "must"]
passed = sum(r["status"] == "PASS" for r in results)
for result in results:
    if result["status"] == "FAIL":
        print(f"FAIL {result['id']} {result['name']}: {result['detail']}")
print(f"{passed} of {len(results)} must checks pass, {REACHED} are required")
sys.exit(passed < REACHED)
