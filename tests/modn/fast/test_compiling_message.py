"""While the kernels are compiled, whoever waits at a terminal is told so, once; others are not disturbed."""

import sys

import pytest

from modn.fast.code_cache import _announce_compiling


@pytest.mark.parametrize("terminal", [True, False])
def test_the_message(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    _announce_compiling.cache_clear()
    for _ in range(2):
        _announce_compiling()
    expected = "modn: compiling for this machine (once, some seconds) ...\n" if terminal else ""
    assert capsys.readouterr().err == expected
