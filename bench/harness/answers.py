"""What an answer comes to, whatever the order of its rows."""

import hashlib
import importlib.util
import os
import subprocess

import engines

_specification = importlib.util.spec_from_file_location("rows_digest", os.path.join(engines.WORKLOADS, "rows_digest.py"))
rows_digest = importlib.util.module_from_spec(_specification)
_specification.loader.exec_module(rows_digest)

UNESCAPED = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}


def unescape(text):
    if "\\" not in text:
        return text
    parts, at = [], 0
    while at < len(text):
        if text[at] == "\\":
            parts.append(UNESCAPED[text[at + 1]])
            at += 2
        else:
            parts.append(text[at])
            at += 1
    return "".join(parts)


def render(text, form):
    if text == "\\N":
        return text
    if form == "n":  # whatever it is: engines divide decimals to different places
        try:
            return "%.6g" % round(float(text), 3)
        except ValueError:
            return text
    if form == "g":
        return "%.9g" % float(text)
    if form == "s":
        return text
    if form == "i" and text.lstrip("-").isdigit():
        return text
    if form == "t" and len(text) in (19, 23) and text[10] == " ":
        return text[:10] + "T" + (text[11:] + ".000")[:12] + "Z"
    return rows_digest.render(unescape(text), form)


def render_unescaped(text, form):
    """As expected.tsv has it: texts are the bytes themselves."""
    return unescape(text) if form == "s" and text != "\\N" else render(text, form)


def digest(path, formats, program):
    """(rows, sum of hashes) of a file of rows with values between tabs; `program`: bench/digest.c."""
    if not set(formats) <= {"i", "s"}:
        rendered = path + ".rendered"
        with open(path, encoding="utf-8", newline="\n") as file, open(rendered, "w", encoding="utf-8", newline="\n") as out:
            for line in file:
                values = line.rstrip("\n").split("\t")
                if len(values) != len(formats):
                    return -1, "%d values where %d are due" % (len(values), len(formats))
                out.write("\t".join(map(render, values, formats)) + "\n")
        path = rendered
    lines, total = subprocess.run([program, path], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    return int(lines), total


def digest_expected(path, formats):
    """(rows, SHA-256) as expected.tsv has them."""
    lines = []
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file:
            values = line.rstrip("\n").split("\t")
            if len(values) != len(formats):
                return -1, "%d values where %d are due" % (len(values), len(formats))
            lines.append("|".join(map(render_unescaped, values, formats)).encode("utf-8") + b"\n")
    lines.sort()
    return len(lines), hashlib.sha256(b"".join(lines)).hexdigest()
