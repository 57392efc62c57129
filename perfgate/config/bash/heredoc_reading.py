"""Heredocs: the delimiter after `<<`, and the body that begins on the next line."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from perfgate.config.bash.syntax import Heredoc, Literal, WordText
from perfgate.config.bash.word_reading import WordReader
from perfgate.config.spans import joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfgate.config.spans import Placed


class HeredocReader(WordReader):
    """Reads words and the bodies of the heredocs that were announced."""

    def __init__(self, placed: Placed) -> None:
        super().__init__(placed)
        self.pending: list[Heredoc] = []

    def announce(self, operator: str) -> Heredoc:
        """Read the delimiter and remember that its body follows the line."""
        self.skip_blanks()
        word = self.read_word()
        if word is None:
            raise self.fail("a heredoc has no delimiter")
        raw = word.place.source.text[word.place.offset(0) : word.place.end_offset()]
        quoted = any(isinstance(part, Literal) and part.quoted for part in word.parts)
        texts = [part.text.text for part in word.parts if isinstance(part, Literal)]
        delimiter = "".join(texts) if len(texts) == len(word.parts) else raw
        nothing = WordText((), self.cut(self.pos))
        heredoc = Heredoc(delimiter, quoted, operator == "<<-", nothing)
        self.pending.append(heredoc)
        return heredoc

    def read_heredocs(self) -> None:
        """The bodies of all announced heredocs; a line has just ended."""
        waiting, self.pending = self.pending, []
        for heredoc in waiting:
            text = self._body(heredoc)
            if heredoc.quoted:
                heredoc.body = WordText((Literal(text, quoted=True),), text)
            else:
                heredoc.body = self.expandable(text)

    @abstractmethod
    def expandable(self, text: Placed) -> WordText:
        """A heredoc body in which expansions count; the command reader defines it."""

    def _body(self, heredoc: Heredoc) -> Placed:
        lines: list[Placed] = []
        start = self.pos
        strip = heredoc.strips
        while self.pos < self.size:
            end = self.text.find("\n", self.pos)
            end = self.size if end < 0 else end
            line = self.text[self.pos : end]
            if (line.lstrip("\t") if strip else line) == heredoc.delimiter:
                stop = self.pos
                self.pos = min(end + 1, self.size)
                return self._joined(lines, start, stop)
            if strip:
                indent = len(line) - len(line.lstrip("\t"))
                lines.append(self.cut(self.pos + indent, min(end + 1, self.size)))
            self.pos = end + 1
        self.pos = self.size
        return self._joined(lines, start, self.size)

    def _joined(self, lines: Sequence[Placed], start: int, stop: int) -> Placed:
        return joined(lines, self.cut(start, start)) if lines else self.cut(start, stop)
