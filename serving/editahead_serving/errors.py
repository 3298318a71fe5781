"""The exceptions of this package.

ServingError
├── EngineUnavailableError
├── DownloadError
├── ModelExportError
└── SettingsWriteError
"""


class ServingError(Exception):
    """The base of this package's exceptions. The message is for a person."""


class EngineUnavailableError(ServingError):
    """An engine that cannot be started, as a whole sentence."""


class DownloadError(ServingError):
    """A model that cannot be downloaded, as a whole sentence."""


class ModelExportError(ServingError):
    """A model that cannot be written for other servers, as a whole sentence."""


class SettingsWriteError(ServingError):
    """A settings file that was left unchanged. The message is the reason, without a final period."""
