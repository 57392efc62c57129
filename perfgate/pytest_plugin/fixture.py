"""The object behind the `perfgate` fixture: measure one thing, and hand back what the test wants to check."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from perfgate.core.errors import PerfgateError, UsageError
from perfgate.measure.child import Plan, time_awaited, time_call
from perfgate.pytest_plugin.marker import benchmark_name, read_marker
from perfgate.pytest_plugin.measurement import PlainMode

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from perfgate.pytest_plugin.measured_result import MeasuredResult
    from perfgate.pytest_plugin.measurement import Measurement, Mode

    T = TypeVar("T")


MODE: pytest.StashKey[Mode] = pytest.StashKey()


def open_fixture(item: pytest.Item) -> PerfgateFixture:
    """The fixture of one test, as the process it runs in wants it.

    Raises:
        UsageError: the test's marker cannot be taken.
    """
    config = item.config
    if MODE not in config.stash:
        config.stash[MODE] = PlainMode(config)
    return PerfgateFixture(item, config.stash[MODE])


class PerfgateFixture:
    """Measures a callable or a model, once per test or once per name; without the gate it just runs it.

    `perfgate(fn, *args)` times a function, `await perfgate.aio(fn, *args)` a coroutine function inside a
    running loop, `perfgate.model(...)` compiles a model and runs it on a simulated device. Nothing here
    raises for a regression: the decision comes when the whole suite is measured.
    """

    def __init__(
        self, item: pytest.Item, mode: Mode, *, name: str = "", used: set[str] | None = None
    ) -> None:
        self._item = item
        self._mode = mode
        self._name = name
        self._used: set[str] = set() if used is None else used
        self._wishes = read_marker(item)

    def __repr__(self) -> str:
        return f"<perfgate fixture of {self._item.nodeid}>"

    def __call__(
        self,
        fn: Callable[..., Any],
        /,
        *args: Any,  # noqa: ANN401 - those of the measured function
        setup: Callable[[], object] | None = None,
        gc: bool = True,
        **kwargs: Any,  # noqa: ANN401 - the same
    ) -> Any:  # noqa: ANN401 - whatever the measured function returns
        """Time `fn(*args, **kwargs)` in rounds; the value of one untimed call.

        A coroutine function runs in a loop of its own, outside the timing. `setup` runs untimed before every
        call, which then is a round of its own; `gc=False` keeps the garbage collector off meanwhile.

        Raises:
            UsageError: a second measurement under one name, or `fn` returned what nobody awaited.
        """
        __tracebackhide__ = True
        measurement = self._open()
        if inspect.iscoroutinefunction(fn):
            return asyncio.run(self._awaited(measurement, fn, args, kwargs, setup=setup, gc=gc))
        with measurement.bounds():
            if setup is not None:
                setup()
            value = fn(*args, **kwargs)
            self._refuse_awaitable(fn, value)
            timing = None
            if measurement.is_timed_here:
                call = fn if not args and not kwargs else lambda: fn(*args, **kwargs)
                timing = time_call(call, setup, Plan(samples=measurement.samples, gc=gc))
        measurement.keep(timing, gc=gc)
        return value

    async def aio(
        self,
        fn: Callable[..., Awaitable[Any]],
        /,
        *args: Any,  # noqa: ANN401 - those of the measured function
        setup: Callable[[], object] | None = None,
        gc: bool = True,
        **kwargs: Any,  # noqa: ANN401 - the same
    ) -> Any:  # noqa: ANN401 - whatever the measured function returns
        """Time `await fn(*args, **kwargs)` inside the running loop; the value of one untimed call.

        Raises:
            UsageError: a second measurement under one name.
        """
        __tracebackhide__ = True
        return await self._awaited(self._open(), fn, args, kwargs, setup=setup, gc=gc)

    def named(self, name: str) -> PerfgateFixture:
        """The fixture for one of several measurements of a test: `perfgate.named("decode")(fn)`.

        Raises:
            UsageError: an empty name.
        """
        __tracebackhide__ = True
        if not name or not isinstance(name, str):
            raise UsageError(f"{name!r} is no name", self._item.nodeid, 'write perfgate.named("decode")')
        return PerfgateFixture(self._item, self._mode, name=name, used=self._used)

    def model(self, model: str, **wanted: Any) -> MeasuredResult:  # noqa: ANN401 - see model_call.ModelCall
        """Compile a model for a simulated device and run it; its exact metrics are readable at once.

        `model` and `device` as in a suite file; `compile_from`, `compile_command`, `match` or `flags`;
        `runtime_from`, `runtime_key` or `runtime`; `inputs` (name -> shape), `bind`, `batch`, `preset`,
        `parameters`, `samples`, `noise`, `metrics`, `limit`. Paths are relative to pytest's root folder.

        Raises:
            UsageError: a second measurement under one name, or an argument that cannot be taken.
            PerfgateError: model, compile command, runtime configuration or device cannot be used as written.
        """
        __tracebackhide__ = True
        from perfgate.pytest_plugin.model_call import measure_model, read_call  # noqa: PLC0415 - numpy

        self._claim()
        try:
            call = read_call({"model": model, **wanted}, self._item.nodeid)
            name = self._benchmark_name(call.device)
            return measure_model(self._item, self._mode, name, self._wishes, call)
        except PerfgateError as problem:
            raise problem.with_traceback(None) from None  # the mistake stands in the test, not in here

    def command(self, argv: Sequence[str], **wanted: Any) -> MeasuredResult:  # noqa: ANN401 - see CommandCall
        """Start a program without a shell and time it, or read the numbers that it reports.

        `metrics` maps a metric to where its values stand: a regular expression with its unit behind the
        group, or a mapping as in a suite; `limit`, `folder` (from pytest's root), `environment`, `exit_code`,
        `samples` (launches of one run), `warmup`.

        Raises:
            UsageError: a second measurement under one name, or the program fails or cannot be read.
        """
        __tracebackhide__ = True
        from perfgate.pytest_plugin.command_call import (  # noqa: PLC0415 - only where asked for
            measure_command,
            read_command_call,
        )

        self._claim()
        try:
            call = read_command_call(argv, wanted, self._item.nodeid)
            return measure_command(self._item, self._mode, self._benchmark_name(), self._wishes, call)
        except PerfgateError as problem:
            raise problem.with_traceback(None) from None  # the mistake stands in the test, not in here

    async def _awaited(  # noqa: PLR0913 - the call and how to make it
        self,
        measurement: Measurement,
        fn: Callable[..., Awaitable[Any]],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        *,
        setup: Callable[[], object] | None,
        gc: bool,
    ) -> Any:  # noqa: ANN401 - whatever the measured function returns
        __tracebackhide__ = True
        with measurement.bounds():
            if setup is not None:
                setup()
            value = await fn(*args, **kwargs)
            timing = None
            if measurement.is_timed_here:
                plan = Plan(samples=measurement.samples, gc=gc)
                timing = await time_awaited(lambda: fn(*args, **kwargs), setup, plan)
        measurement.keep(timing, gc=gc)
        return value

    def _open(self) -> Measurement:
        __tracebackhide__ = True
        self._claim()
        return self._mode.open(self._item, self._benchmark_name(), self._wishes)

    def _benchmark_name(self, device: str = "") -> str:
        name = benchmark_name(self._item, self._wishes, device)
        return f"{name}::{self._name}" if self._name else name

    def _claim(self) -> None:
        """One measurement per name."""
        __tracebackhide__ = True
        if self._name in self._used:
            what = f"the name {self._name!r} twice" if self._name else "a second measurement without a name"
            raise UsageError(what, self._item.nodeid, 'give each its own: perfgate.named("decode")(fn)')
        self._used.add(self._name)

    def _refuse_awaitable(self, fn: Callable[..., Any], value: object) -> None:
        __tracebackhide__ = True
        if not inspect.isawaitable(value):
            return
        if inspect.iscoroutine(value):
            value.close()
        what = f"{getattr(fn, '__name__', fn)} returned a {type(value).__name__}; nothing was timed"
        raise UsageError(what, self._item.nodeid, "hand over the coroutine function itself, not a lambda")
