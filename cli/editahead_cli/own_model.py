"""The set-up of Editahead's own model: `editahead models use editahead-coder`."""

from __future__ import annotations

import errno
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import invalidate_caches
from importlib.metadata import requires
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_cli.console import fail, print_text

if TYPE_CHECKING:
    from editahead_inference.backends.local.self_check import Speed

REQUIRED_PACKAGES = ("gguf", "numpy", "onnx", "onnxruntime", "safetensors", "tokenizers")
"""What making and running the model needs: the extra `local`."""
MEMORY_BYTES = 2_000_000_000
"""Memory that merging and quantizing takes."""
MODEL_BYTES = 700_000_000
"""Room on the disk for the model."""
_EXTRA = re.compile(r"""extra == ['"]local['"]""")
INTERRUPTED = "cancelled; nothing was changed, and the same command goes on with what has come"


def set_up(base: Path | None, install: bool = False) -> Speed | None:
    """Get the base, merge it with the adapter that is installed, and check the result, unless that was done.

    A failure or Ctrl-C leaves the model that was there before.

    Args:
        base: The base that the user has; None to download it.
        install: Whether to install the packages that are missing.

    Returns:
        How quick the model is here, or None after a failure, whose reason was printed.
    """
    from editahead_inference.errors import SmallModelError
    from editahead_serving.errors import DownloadError

    if install and not _install_packages():
        return None
    try:
        speed = _make(base, require_adapter())
    except KeyboardInterrupt:
        fail(INTERRUPTED)
    except MemoryError:
        fail(_describe_memory())
    except OSError as error:
        fail(_describe_disk() if error.errno == errno.ENOSPC else str(error))
    except (DownloadError, SmallModelError) as error:
        fail(str(error))
    else:
        _say(
            f"Here it reads {speed.prompt_tokens_per_s:,.0f} tokens of a prompt a second, and says one in "
            f"{speed.ms_a_token:,.0f} ms, in one core's time."
        )
        return speed
    return None


def require_adapter() -> Path:
    """Return the adapter that is installed.

    Raises:
        SmallModelError: It is missing, or a library is that making the model takes.
    """
    from editahead_inference.backends.local.small_model import NAME, find_adapter
    from editahead_inference.errors import SmallModelError

    if missing := [package for package in REQUIRED_PACKAGES if find_spec(package) is None]:
        raise SmallModelError(f"{NAME} needs {', '.join(missing)}: pip install 'editahead[local]'")
    if (adapter := find_adapter()) is None:
        raise SmallModelError(
            f"The package {NAME}, which has the adapter, is not installed: pip install {NAME}"
        )
    return adapter


def _install_packages() -> bool:
    """Install what the extra `local` names, beside Editahead, unless all of it is there. Return whether it is there now."""
    from editahead_inference.backends.local.small_model import find_adapter
    from editahead_programs.child_process import run_child
    from editahead_programs.child_python import OWN_FOLDER, make_tool_command

    if find_adapter() is not None and all(find_spec(package) for package in REQUIRED_PACKAGES):
        return True
    wanted = [need.split(";")[0].strip() for need in requires("editahead") or () if _EXTRA.search(need)]
    _say(f"installing {', '.join(wanted)}")
    pip = make_tool_command("-m", "pip", "--disable-pip-version-check", "install", "--no-input", *wanted)
    try:
        done = run_child(
            pip, cwd=OWN_FOLDER, timeout_s=None, max_bytes=0, stdout=sys.stderr, merges_errors=True
        )
    except KeyboardInterrupt:
        fail(INTERRUPTED)
        return False
    except OSError as error:
        fail(f"pip cannot be run: {error}")
        return False
    if done.code:
        fail("The packages that the model needs could not be installed; pip says why above.")
    invalidate_caches()
    return done.code == 0


def _make(base: Path | None, adapter: Path) -> Speed:
    """Make the model, unless it is there.

    Raises:
        DownloadError: The base cannot be gotten.
        SmallModelError: The model cannot be made.
        OSError: A file cannot be written.
    """
    from editahead_inference.backends.local import small_model
    from editahead_inference.backends.local.self_check import check_answers
    from editahead_inference.errors import SmallModelError
    from editahead_serving.hardware import detect_hardware, free_disk_bytes

    folder = small_model.small_model_folder()
    known = small_model.read_speed(folder)
    if known is not None and small_model.is_installed(folder, adapter):
        _say(f"{folder} is complete.")
        return known
    if 0 < detect_hardware().free < MEMORY_BYTES:
        raise SmallModelError(_describe_memory())
    if free_disk_bytes(folder) < MODEL_BYTES:
        raise SmallModelError(_describe_disk())

    def check(made: Path) -> Speed:
        speed = check_answers(made, adapter.with_name(small_model.GOLDEN), time.process_time)
        _say("The known answers are right.")
        return speed

    with obtain_base(base) as found, ExitStack() as stack:
        report = show_progress(stack, "merging and quantizing")
        return small_model.install(found, folder, adapter, check=check, report=report)


@contextmanager
def obtain_base(base: Path | None) -> Iterator[Path]:
    """Yield the base that the user has, or download it. What was downloaded is kept only if the block fails.

    Raises:
        DownloadError: The base cannot be gotten.
        OSError: The folder of downloads cannot be written.
    """
    from editahead_inference.backends.local.small_model import NAME, small_model_folder
    from editahead_serving.base_download import QWEN_CODER, get_base

    if base is not None:
        yield base.expanduser()
        return
    folder = small_model_folder().with_name(f"{NAME}.download")
    with ExitStack() as stack:
        progress = show_progress(stack, "downloading the base")
        file = get_base(QWEN_CODER, folder, progress=progress, report=_say)
    yield file
    shutil.rmtree(folder, ignore_errors=True)


def _say(text: str) -> None:
    """Print a line at once: an editor that runs the command shows it while the next step is done."""
    print_text(text)
    sys.stdout.flush()


def show_progress(stack: ExitStack, name: str) -> Callable[[int, int], None]:
    """Return what shows a progress from the first call on: as a bar on a terminal, else as a line for each tenth."""
    from rich.progress import Progress

    from editahead_cli.rich_console import SafeConsole

    console = SafeConsole(stderr=True)
    if not console.is_terminal:
        reported = -1

        def print_tenth(done: int, all: int) -> None:
            nonlocal reported
            if (tenth := 10 * done // all) > reported:
                reported = tenth
                _say(f"{name}: {10 * tenth}%")

        return print_tenth
    shown = Progress(console=console)
    stack.callback(shown.stop)
    task = shown.add_task(name)

    def report(done: int, all: int) -> None:
        shown.start()
        shown.update(task, completed=done, total=all)

    return report


def _describe_memory() -> str:
    needed = f"{MEMORY_BYTES / 1e9:.0f} GB"
    return f"There is too little free memory: making the model takes {needed}. Close programs, and try again."


def _describe_disk() -> str:
    from editahead_inference.backends.local.small_model import small_model_folder

    return f"The disk is full: {small_model_folder()} needs {MODEL_BYTES / 1e9:.1f} GB; make room there."
