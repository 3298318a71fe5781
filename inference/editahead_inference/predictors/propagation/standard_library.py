"""Names of standard libraries that mean one thing wherever they are used unbound."""

from __future__ import annotations

from collections.abc import Mapping


def _words(text: str) -> list[str]:
    return text.split()


def _by_name(table: Mapping[str, str]) -> dict[str, str]:
    return {name: module for module, names in table.items() for name in _words(names)}


STANDARD_MODULES: dict[str, dict[str, str]] = {
    "python": {
        name: name
        for name in _words(
            "abc argparse ast asyncio base64 bisect collections contextlib copy csv dataclasses datetime decimal enum "
            "functools glob gzip hashlib heapq hmac html importlib inspect io itertools json logging math "
            "multiprocessing operator os pathlib pickle platform random re secrets shutil signal socket sqlite3 ssl "
            "string struct subprocess sys tempfile textwrap threading time traceback types typing unicodedata "
            "unittest urllib uuid warnings weakref zipfile zlib"
        )
    },
    "go": {
        path.rpartition("/")[2]: path
        for path in _words(
            "bufio bytes context crypto/sha256 crypto/tls database/sql embed encoding/base64 encoding/binary "
            "encoding/hex encoding/json encoding/xml errors flag fmt io io/fs io/ioutil log log/slog maps math math/big "
            "mime net net/http net/http/httptest net/url os os/exec os/signal path path/filepath reflect regexp runtime "
            "slices sort strconv strings sync sync/atomic syscall testing time unicode unicode/utf8 unsafe"
        )
    },
}
"""Modules by the name that they bind, by language. A module's name must be one that variables seldom have alone."""

STANDARD_NAMES: dict[str, dict[str, str]] = {
    "python": _by_name(
        {
            "typing": "Any Optional Union Callable Dict List Tuple Set TypeVar Generic Protocol Iterable Iterator "
            "Sequence Mapping TYPE_CHECKING ClassVar Literal NamedTuple TypedDict cast overload",
            "dataclasses": "dataclass field",
            "pathlib": "Path PurePath PurePosixPath",
            "collections": "defaultdict OrderedDict deque namedtuple",
            "functools": "partial wraps lru_cache cached_property reduce singledispatch",
            "contextlib": "contextmanager suppress ExitStack asynccontextmanager nullcontext",
            "datetime": "timedelta timezone",
            "enum": "Enum IntEnum StrEnum",
            "decimal": "Decimal",
            "abc": "ABC abstractmethod",
            "io": "BytesIO StringIO",
            "unittest.mock": "MagicMock",
            "uuid": "UUID uuid4",
            "copy": "deepcopy",
            "textwrap": "dedent",
        }
    ),
    "java": _by_name(
        {
            "java.util": "List Map Set ArrayList HashMap HashSet LinkedHashMap LinkedHashSet LinkedList Arrays "
            "Collection Collections Iterator Objects Optional TreeMap TreeSet UUID Deque ArrayDeque EnumSet Locale "
            "NoSuchElementException Comparator",
            "java.util.function": "Function Supplier Consumer BiFunction Predicate BiConsumer",
            "java.util.stream": "Collectors Stream",
            "java.util.concurrent": "ConcurrentHashMap CompletableFuture CountDownLatch ExecutorService Executors "
            "TimeUnit Callable CopyOnWriteArrayList",
            "java.util.concurrent.atomic": "AtomicBoolean AtomicInteger AtomicLong AtomicReference",
            "java.io": "IOException InputStream OutputStream File Closeable UncheckedIOException ByteArrayInputStream "
            "ByteArrayOutputStream Serializable",
            "java.nio.charset": "StandardCharsets Charset",
            "java.nio.file": "Files Path Paths",
            "java.time": "Duration Instant LocalDate LocalDateTime",
            "java.lang.reflect": "Method Field Type ParameterizedType InvocationTargetException",
        }
    ),
    "rust": _by_name(
        {
            "std::collections": "HashMap HashSet BTreeMap BTreeSet VecDeque BinaryHeap",
            "std::sync": "Arc Mutex RwLock OnceLock",
            "std::rc": "Rc",
            "std::cell": "RefCell Cell UnsafeCell",
            "std::path": "Path PathBuf",
            "std::time": "Duration Instant",
            "std::pin": "Pin",
            "std::borrow": "Cow",
            "std::marker": "PhantomData",
            "std::future": "Future",
            "std::sync::atomic": "AtomicUsize AtomicBool AtomicU64 AtomicPtr",
            "std::ffi": "OsStr OsString CStr CString",
            "std::str": "FromStr",
        }
    ),
    "csharp": _by_name(
        {
            "System.Collections.Concurrent": "ConcurrentBag ConcurrentDictionary ConcurrentQueue",
            "System.Diagnostics": "Stopwatch",
            "System.Globalization": "CultureInfo NumberStyles",
            "System.Security.Cryptography": "SHA256 RandomNumberGenerator",
            "System.Text": "Encoding StringBuilder",
            "System.Text.Json": "JsonElement JsonSerializer JsonSerializerOptions",
            "System.Text.RegularExpressions": "Regex RegexOptions",
        }
    ),
    "ruby": _by_name(
        {
            "benchmark": "Benchmark",
            "bigdecimal": "BigDecimal",
            "csv": "CSV",
            "date": "Date DateTime",
            "digest": "Digest",
            "erb": "ERB",
            "fileutils": "FileUtils",
            "forwardable": "Forwardable",
            "json": "JSON",
            "logger": "Logger",
            "net/http": "Net",
            "open3": "Open3",
            "optparse": "OptionParser",
            "ostruct": "OpenStruct",
            "pathname": "Pathname",
            "securerandom": "SecureRandom",
            "shellwords": "Shellwords",
            "stringio": "StringIO",
            "tempfile": "Tempfile",
            "timeout": "Timeout",
            "uri": "URI",
            "yaml": "YAML",
            "zlib": "Zlib",
        }
    ),
}
"""Modules by the name that is imported from them, by language."""

C_HEADERS = _by_name(
    {
        "<assert.h>": "assert",
        "<ctype.h>": "isalnum isalpha isdigit islower isspace isupper isxdigit tolower toupper",
        "<errno.h>": "errno EINVAL ENOENT ENOMEM EINTR EAGAIN",
        "<inttypes.h>": "PRIu64 PRId64 PRIu32 PRIx64",
        "<limits.h>": "INT_MAX INT_MIN UINT_MAX LONG_MAX LONG_MIN CHAR_BIT",
        "<math.h>": "sqrt pow floor ceil fabs",
        "<pthread.h>": "pthread_create pthread_join pthread_mutex_t pthread_mutex_lock pthread_mutex_unlock pthread_t",
        "<stdarg.h>": "va_list va_start va_end va_arg",
        "<stdbool.h>": "bool",
        "<stdint.h>": "uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t uintptr_t SIZE_MAX",
        "<stdio.h>": "printf fprintf snprintf sprintf puts fputs fopen fclose fread fwrite fgets perror stderr stdout FILE",
        "<stdlib.h>": "malloc calloc realloc free exit abort getenv atoi strtol strtoul qsort EXIT_FAILURE EXIT_SUCCESS",
        "<string.h>": "strlen strcmp strncmp strcpy strncpy strcat strchr strrchr strstr strdup strerror memcpy memmove "
        "memset memcmp strtok",
        "<unistd.h>": "getpid usleep fork execvp getopt isatty",
    }
)
"""Headers of C by the names that they declare."""

CPP_HEADERS = _by_name(
    {
        "<algorithm>": "sort find find_if any_of all_of none_of count_if transform max_element min_element reverse "
        "nth_element partial_sort binary_search equal_range rotate shuffle minmax_element "
        "copy_if remove_if lower_bound upper_bound clamp stable_sort unique",
        "<array>": "array",
        "<atomic>": "atomic atomic_bool",
        "<chrono>": "chrono",
        "<cmath>": "sqrt pow floor ceil",
        "<deque>": "deque",
        "<filesystem>": "filesystem",
        "<fstream>": "ifstream ofstream fstream",
        "<functional>": "function bind invoke",
        "<iomanip>": "setw setprecision setfill",
        "<iostream>": "cout cerr cin",
        "<limits>": "numeric_limits",
        "<list>": "list",
        "<map>": "map multimap",
        "<memory>": "unique_ptr shared_ptr weak_ptr make_unique make_shared",
        "<mutex>": "mutex lock_guard unique_lock scoped_lock call_once once_flag",
        "<numeric>": "accumulate iota",
        "<optional>": "optional nullopt make_optional",
        "<queue>": "queue priority_queue",
        "<random>": "mt19937 random_device uniform_int_distribution",
        "<regex>": "regex regex_match regex_search smatch",
        "<set>": "set multiset",
        "<span>": "span",
        "<sstream>": "stringstream ostringstream istringstream",
        "<stdexcept>": "runtime_error logic_error invalid_argument out_of_range",
        "<string>": "string to_string stoi getline",
        "<string_view>": "string_view",
        "<thread>": "thread this_thread jthread",
        "<tuple>": "tuple make_tuple tie",
        "<unordered_map>": "unordered_map unordered_multimap",
        "<unordered_set>": "unordered_set",
        "<variant>": "variant visit get_if holds_alternative monostate",
        "<vector>": "vector",
    }
)
"""Headers of C++ by the names that they declare in `std`."""
