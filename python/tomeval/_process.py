"""Calls of the program: its own session, progress as a bar, errors as exceptions."""

import json
import os
import signal
import subprocess
import sys
import threading
import warnings
from collections import deque
from pathlib import Path

from ._program import find_program

#: Lines of the program's messages that an exception repeats.
_LAST = 40

#: Messages that are shown while the work goes on; the others describe it.
_SHOWN = ("warning:", "note:")


class TomevalError(RuntimeError):
    """The program refused or failed; the text is its own. `code` is its exit code."""

    def __init__(self, text, code):
        super().__init__(text)
        self.code = code


class Stopped(TomevalError):
    """The work ended early. What is finished is kept in `folder`; the same call continues."""

    def __init__(self, text, code, folder):
        super().__init__(text, code)
        self.folder = folder


class Incomplete(UserWarning):
    """The work is done, but rows, items or trials failed, or a threshold was missed."""


class Output:
    """What a call printed. `folders` are those of the runs that it began or continued."""

    def __init__(self, text, folders, code):
        self.text, self.folders, self.code = text, folders, code


def arguments(keywords):
    """Keywords as arguments: `limit=20` is `--limit 20`, `no_pmi=True` is `--no-pmi`, a list repeats its argument."""
    for name, value in keywords.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                yield flag
            elif one is not None and one is not False:
                yield f"{flag}={os.fspath(one) if isinstance(one, os.PathLike) else one}"


def call(command, *positional, progress=True, **keywords):
    """Calls `tomeval COMMAND`, and returns its output.

    An interrupt (Ctrl-C, or that of a notebook) is forwarded once, so that a run stops where it can go on.
    """
    told = [find_program(), *command.split(), *arguments(keywords), "--progress=json"]
    if positional:
        told += ["--", *map(os.fspath, positional)]
    environment = {"TOMEVAL_PROGRESS_SECONDS": "1", **os.environ}
    process = subprocess.Popen(
        told,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        # An interrupt of the terminal reaches this process alone, which forwards it.
        start_new_session=True,
    )
    messages, folders, printed = deque(maxlen=_LAST), [], []
    bar = _bar() if progress else None

    def read_messages():
        for line in _lines(process.stderr):
            fields = _progress(line)
            if fields is None:
                messages.append(line)
                if bar and line.startswith(_SHOWN):
                    bar.say(line)
            elif "folder" in fields:
                folders.append(Path(fields["folder"]))
            elif bar:
                bar.show(fields)

    readers = [
        threading.Thread(target=read_messages, daemon=True),
        threading.Thread(target=lambda: printed.append(process.stdout.read()), daemon=True),
    ]
    for reader in readers:
        reader.start()
    interrupted = _wait(process)
    for reader in readers:
        reader.join()
    if bar:
        bar.end()
    code = process.returncode
    text = b"".join(printed).decode("utf-8", "replace")
    said = "\n".join(messages).strip()
    if interrupted:
        if said:
            print(said, file=sys.stderr)
        raise KeyboardInterrupt
    if code == 1:
        warnings.warn(Incomplete(said or "some items have no answer; see the report"), stacklevel=3)
    elif code == 3:
        raise Stopped(said, code, folders[-1] if folders else None)
    elif code != 0:
        raise TomevalError(said or f"tomeval {command} ended with code {code}", code)
    return Output(text, folders, code)


def _wait(process):
    """Waits for the end; whether an interrupt was forwarded."""
    interrupted = False
    while True:
        try:
            process.wait()
            return interrupted
        except KeyboardInterrupt:
            if interrupted:
                process.kill()
                raise
            interrupted = True
            process.send_signal(signal.SIGINT)


def _lines(stream):
    for line in stream:
        yield line.decode("utf-8", "replace").rstrip("\r\n")


def _progress(line):
    """Fields of a progress line; `None` for a message."""
    if not line.startswith("{"):
        return None
    try:
        fields = json.loads(line)
    except ValueError:
        return None
    return fields if "stage" in fields else None


def _told(fields):
    """Progress as (share done or None, text)."""
    done, total = fields["done"], fields["total"]
    parts = [fields["stage"]]
    if total:
        parts.append(f"{done:,} of {total:,} {fields['unit']}")
    if fields["note"]:
        parts.append(fields["note"])
    left = fields["seconds_left"]
    if left:
        minutes, seconds = divmod(round(left), 60)
        parts.append(f"{minutes} min {seconds:02} s left" if minutes else f"{seconds} s left")
    return (done / total if total else None), ", ".join(parts)


class _Terminal:
    """A line that is written over."""

    WIDTH = 24

    def __init__(self):
        self.drawn = False

    def show(self, fields):
        share, text = _told(fields)
        filled = round(self.WIDTH * share) if share is not None else 0
        line = "#" * filled + "-" * (self.WIDTH - filled) + " " + text
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
        sys.stderr.write("\r\033[K" + line[: columns - 1])
        sys.stderr.flush()
        self.drawn = True

    def say(self, line):
        self.end()
        print(line, file=sys.stderr)

    def end(self):
        if self.drawn:
            sys.stderr.write("\r\033[K")
            self.drawn = False


class _Notebook:
    """A progress element, replaced as the work goes on."""

    def __init__(self, display):
        self.display, self.shown = display, None

    def show(self, fields):
        from html import escape

        share, text = _told(fields)
        value = f' value="{share:.4f}"' if share is not None else ""
        html = {"text/html": f"<progress{value}></progress> {escape(text)}", "text/plain": text}
        if self.shown is None:
            self.shown = self.display(html, raw=True, display_id=True)
        else:
            self.shown.update(html, raw=True)

    def say(self, line):
        print(line, file=sys.stderr)

    def end(self):
        if self.shown is not None:
            self.shown.update({"text/plain": ""}, raw=True)


def _bar():
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if type(shell).__name__ == "ZMQInteractiveShell":
        from IPython.display import display

        return _Notebook(display)
    return _Terminal() if sys.stderr.isatty() else None
